import type { Dictionary } from '../../dictionary.ts';

export const permissions = {
  why: {
    denyRule: '有规则禁止',
    secretPath: '该文件可能存有密钥',
    askRule: '有规则要求每次批准',
    hook: '有钩子要求批准',
    protectedName: '该文件受保护',
    memory: '涉及为此文件夹记住的内容',
    memoryOfOthers: '子代理或不受信任的文件夹不得更改记忆',
    harmless: '不改动会话以外的任何内容',
    allowRule: '有规则允许',
    sessionGrant: '已在本会话中允许',
    bypass: 'bypassPermissions 模式允许',
    readInFolder: '只读取工作文件夹内的内容',
    editInFolder: 'acceptEdits 模式允许改动工作文件夹内的文件',
    sandboxedCommand: 'acceptEdits 模式允许在沙箱内运行命令',
    readOnlyCommand: '该命令只读取',
    planMode: 'plan 模式只允许读取',
    noSandbox: '这里没有可用的沙箱',
    unclearCommand: '从命令文本无法确定它会运行什么',
    outsideFolder: '路径在工作文件夹之外',
    needsApproval: '需要批准',
  },
  warnings: {
    hiddenCharacters: '含有不可见字符',
    manySpaces: '含有大段空白，可能把文字挤出视野',
    foreignHost: '主机名含有容易混淆的字母',
    noSandbox: '不在沙箱内运行',
    protectedName: '会改动能运行代码或更改设置的文件',
    outsideFolder: '超出工作文件夹',
  },
  verdict: {
    allow: '直接运行',
    ask: '需要询问',
    deny: '被拒绝',
  },
} satisfies Dictionary['permissions'];
