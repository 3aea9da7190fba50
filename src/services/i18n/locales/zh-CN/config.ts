import type { Dictionary } from '../../dictionary.ts';

export const config = {
  unknownKey: '没有这个配置项',
  unknownKeyMeant: '没有这个配置项；是否想写“{meant}”？',
  wrongType: '类型必须是 {expected}',
  notOneOf: '“{value}”不在可选值之内：{allowed}',
  noRule: '“{value}”不是规则；请写 `tool` 或 `tool(pattern)`',
  noUrl: '“{value}”不是以 http:// 或 https:// 开头的地址',
  noPattern: '“{value}”不是有效的模式',
  wrongValue: '{value} 不是可用的值',
  unknownTool: '没有工具“{value}”；是否想写“{meant}”？',
  providerParts: '自定义的模型服务需要 `wire` 和 `baseUrl`；请用一个 JSON 对象同时设置',
  noCheck: '一项检查必须恰好有 `command`、`file_exists`、`file_matches` 之一',
  untrusted: '此文件夹未受信任。`rein trust` 会列出其中的内容并询问。',
  ofProject: '项目不能设置，或只能设得更严格。',
  trustDamaged: '文件已损坏，或其他人可以写入',
} satisfies Dictionary['config'];
