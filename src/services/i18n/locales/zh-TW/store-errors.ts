/** Texts of the errors of sessions and their store. */
import type { ErrorCode } from '../../../../protocol/errors.ts';

export const storeErrors = {
  E_SESSION_MISSING: {
    message: '沒有工作階段 {session}。',
    hint: '用 `rein sessions list` 檢視工作階段。',
  },
  E_SESSION_EXISTS: {
    message: '工作階段 {session} 已存在。',
    hint: '用 `-r {session}` 繼續，或換一個編號。',
  },
  E_SESSION_BUSY: {
    message: '工作階段 {session} 正在另一個行程（{owner}）中執行。',
    hint: '請等它結束，或用 `--fork-session` 建立分支。',
  },
  E_SESSION_FENCED: {
    message: '工作階段 {session} 已由另一個行程接手；這個行程已停止，沒有更動任何內容。',
    hint: '請在另一個行程中繼續，或重新開啟工作階段。',
  },
  E_SESSION_IMPORT: {
    message: '無法匯入 {file}：{detail}',
    hint: '請使用 `rein sessions export` 產生的檔案。',
  },
  E_SESSION_EVENT_UNREADABLE: {
    message: '工作階段 {session}：無法讀取事件 {seq}。',
    hint: '請從該事件之前建立分支：`rein sessions fork`。',
  },
  E_STORE_OPEN: {
    message: '無法開啟儲存區 {store}：{detail}',
    hint: '請檢查路徑或位址，以及存取權限。',
  },
  E_STORE_CORRUPT: {
    message: '儲存區 {store} 已損毀：{detail}',
    hint: '請用備份還原，或將它移走，之後會建立新的。',
  },
  E_STORE_FULL: {
    message: '儲存區 {store} 所在的磁碟沒有剩餘空間。',
    hint: '請騰出空間後用 `-c` 繼續；已儲存的內容都還在。',
  },
  E_STORE_VERSION: {
    message: '儲存區 {store} 是由較新的版本寫成的。',
    hint: '請更新 rein。',
  },
  E_STORE_FAILED: {
    message: '儲存區 {store} 發生錯誤：{detail}',
    hint: '請重試；已儲存的內容都還在。',
  },
} satisfies Partial<Record<ErrorCode, { message: string; hint: string }>>;
