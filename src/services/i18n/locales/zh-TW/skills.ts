import type { Dictionary } from '../../dictionary.ts';

export const skills = {
  loaded: '已載入 {count} 個技能，沒有問題。',
  none: '沒有技能。',
  files: '檔案：',
  untrusted: '來自不受信任的資料夾',
  hidden: '不提供給模型',
  emptyMemory: '（空）',
  fatal: '無法載入',
  warning: '警告',
  problem: {
    'no-front-matter': '缺少 front matter（檔案開頭兩行 `---` 之間的內容）',
    unclosed: 'front matter 缺少結尾的 `---`',
    'not-yaml': 'front matter 不是 YAML，已逐行讀取：{detail}',
    'no-name': '缺少 `name`',
    'bad-name': '「{name}」不是有效的名稱：只能用小寫字母和數字，中間可用單一連字號',
    'name-differs': '名稱「{name}」與資料夾「{folder}」不同',
    'no-description': '缺少 `description`',
    'too-long': '`{key}` 有 {length} 個字元，最多允許 {max} 個',
    'wrong-type': '`{key}` 的型別不對，應為 {expected}',
    'too-large': '檔案有 {size} 位元組，最多允許 {max} 位元組',
    unreadable: '無法讀取：{detail}',
    empty: 'front matter 之後沒有內文',
    replaced: '「{name}」被 {other} 取代',
    competes: '「{name}」與「{other}」爭用相同的詞：{words}',
  },
} satisfies Dictionary['skills'];
