import type { Dictionary } from '../../dictionary.ts';

export const skills = {
  loaded: '已加载 {count} 个技能，没有问题。',
  none: '没有技能。',
  files: '文件：',
  untrusted: '来自不受信任的文件夹',
  hidden: '不提供给模型',
  emptyMemory: '（空）',
  fatal: '无法加载',
  warning: '警告',
  problem: {
    'no-front-matter': '缺少 front matter（文件开头两行 `---` 之间的内容）',
    unclosed: 'front matter 缺少结尾的 `---`',
    'not-yaml': 'front matter 不是 YAML，已逐行读取：{detail}',
    'no-name': '缺少 `name`',
    'bad-name': '“{name}”不是有效的名称：只能用小写字母和数字，中间可用单个连字符',
    'name-differs': '名称“{name}”与文件夹“{folder}”不同',
    'no-description': '缺少 `description`',
    'too-long': '`{key}` 有 {length} 个字符，最多允许 {max} 个',
    'wrong-type': '`{key}` 的类型不对，应为 {expected}',
    'too-large': '文件有 {size} 字节，最多允许 {max} 字节',
    unreadable: '无法读取：{detail}',
    empty: 'front matter 之后没有正文',
    replaced: '“{name}”被 {other} 取代',
    competes: '“{name}”与“{other}”争用相同的词：{words}',
  },
} satisfies Dictionary['skills'];
