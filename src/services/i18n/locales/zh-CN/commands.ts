import type { Dictionary } from '../../dictionary.ts';

export const commands = {
  help: '列出所有可用命令',
  model: '查看或更换模型',
  modelCurrent: '模型：{model}',
  modelChoose: '选择模型（目前为 {model}）',
  modelChanged: '已切换到：{model}',
  sessions: '继续另一个会话',
  sessionsChoose: '选择会话',
  sessionsNone: '没有其他会话。',
  cost: '显示本会话的 token 用量和费用',
  costText: '输入 {input:#}，读缓存 {cacheRead:#}，写缓存 {cacheWrite:#}，输出 {output:#} token。费用：{cost} USD',
  compact: '用摘要缩短本会话的历史',
  compacted: '历史现有 {after:#} 条消息，之前为 {before:#} 条。',
  clear: '新建会话',
  quit: '退出',
} satisfies Dictionary['commands'];
