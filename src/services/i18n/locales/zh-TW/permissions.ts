import type { Dictionary } from '../../dictionary.ts';

export const permissions = {
  why: {
    denyRule: '有規則禁止',
    secretPath: '這個檔案可能存有金鑰',
    askRule: '有規則要求每次核准',
    hook: '有掛鉤要求核准',
    protectedName: '這個檔案受到保護',
    memory: '涉及為此資料夾記住的內容',
    memoryOfOthers: '子代理或不受信任的資料夾不得變更記憶',
    harmless: '不會更動工作階段以外的任何內容',
    allowRule: '有規則允許',
    sessionGrant: '已在這個工作階段中允許',
    bypass: 'bypassPermissions 模式允許',
    readInFolder: '只讀取工作資料夾內的內容',
    editInFolder: 'acceptEdits 模式允許更動工作資料夾內的檔案',
    sandboxedCommand: 'acceptEdits 模式允許在沙箱內執行指令',
    readOnlyCommand: '這個指令只會讀取',
    planMode: 'plan 模式只允許讀取',
    noSandbox: '這裡沒有可用的沙箱',
    unclearCommand: '從命令文字無法確定它會執行什麼',
    outsideFolder: '路徑在工作資料夾之外',
    needsApproval: '需要核准',
  },
  warnings: {
    hiddenCharacters: '含有看不見的字元',
    manySpaces: '含有大段空白，可能把文字擠出視野',
    foreignHost: '主機名稱含有容易混淆的字母',
    noSandbox: '不在沙箱內執行',
    protectedName: '會更動能執行程式碼或變更設定的檔案',
    outsideFolder: '超出工作資料夾',
  },
  verdict: {
    allow: '直接執行',
    ask: '需要詢問',
    deny: '被拒絕',
  },
} satisfies Dictionary['permissions'];
