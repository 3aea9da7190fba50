/** Texts of the errors of sessions and their store. */
import type { ErrorCode } from '../../../../protocol/errors.ts';

export const storeErrors = {
  E_SESSION_MISSING: {
    message: '没有会话 {session}。',
    hint: '用 `rein sessions list` 查看会话。',
  },
  E_SESSION_EXISTS: {
    message: '会话 {session} 已存在。',
    hint: '用 `-r {session}` 继续，或换一个编号。',
  },
  E_SESSION_BUSY: {
    message: '会话 {session} 正在另一个进程（{owner}）中运行。',
    hint: '请等它结束，或用 `--fork-session` 创建分支会话。',
  },
  E_SESSION_FENCED: {
    message: '会话 {session} 已由另一个进程接管；本进程已停止，没有改动任何内容。',
    hint: '请在另一个进程中继续，或重新打开会话。',
  },
  E_SESSION_IMPORT: {
    message: '无法导入 {file}：{detail}',
    hint: '请使用 `rein sessions export` 生成的文件。',
  },
  E_SESSION_EVENT_UNREADABLE: {
    message: '会话 {session}：无法读取事件 {seq}。',
    hint: '请从该事件之前创建分支：`rein sessions fork`。',
  },
  E_STORE_OPEN: {
    message: '无法打开存储 {store}：{detail}',
    hint: '请检查路径或地址，以及访问权限。',
  },
  E_STORE_CORRUPT: {
    message: '存储 {store} 已损坏：{detail}',
    hint: '请用备份恢复，或将其移走，之后会新建一个。',
  },
  E_STORE_FULL: {
    message: '存储 {store} 所在的磁盘没有剩余空间。',
    hint: '请腾出空间后用 `-c` 继续；已保存的内容仍在。',
  },
  E_STORE_VERSION: {
    message: '存储 {store} 由更新的版本写成。',
    hint: '请升级 rein。',
  },
  E_STORE_FAILED: {
    message: '存储 {store} 出错：{detail}',
    hint: '请重试；已保存的内容仍在。',
  },
} satisfies Partial<Record<ErrorCode, { message: string; hint: string }>>;
