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
  trustDamaged: '文件已损坏，或其他人可以写入',
} satisfies Dictionary['config'];
