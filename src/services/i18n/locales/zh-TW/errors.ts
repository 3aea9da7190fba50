import type { Dictionary } from '../../dictionary.ts';
import { storeErrors } from './store-errors.ts';

export const errors = {
  E_PROVIDER_AUTH: {
    message: '{provider} 拒絕了金鑰[（HTTP {status}）]。',
    hint: '請檢查金鑰：用 `rein login {provider}` 可以重新儲存。',
  },
  E_PROVIDER_KEY_MISSING: {
    message: '沒有 {provider} 的金鑰。',
    hint: '請執行 `rein login {provider}`，或設定 {variable}。',
  },
  E_PROVIDER_URL_MISSING: {
    message: '沒有 {provider} 的位址。',
    hint: '請設定 {variable}，或在設定檔中設定 `providers.{provider}.baseUrl`。',
  },
  E_PROVIDER_RATE_LIMIT: {
    message: '{provider} 限制了請求頻率[（HTTP {status}）]。',
    hint: '請稍候再試，或用 `--model` 換一個模型。',
  },
  E_PROVIDER_OVERLOADED: {
    message: '{provider} 負載過高[（HTTP {status}）]。',
    hint: '請稍後再試，或用 `--fallback-model` 指定備用模型。',
  },
  E_PROVIDER_CONTEXT_OVERFLOW: {
    message: '對話過長，超出模型的上下文長度。',
    hint: '請開新的工作階段，或壓縮目前的工作階段：`rein sessions compact`。',
  },
  E_PROVIDER_INVALID_REQUEST: {
    message: '{provider} 不接受這個請求[（HTTP {status}）]：{detail}',
    hint: '請檢查模型名稱與服務網址（base URL）。',
  },
  E_PROVIDER_NETWORK: {
    message: '無法連線到 {provider}：{detail}',
    hint: '請檢查網路、代理伺服器與服務網址（base URL）。',
  },
  E_PROVIDER_STREAM: {
    message: '{provider} 的回答中斷：{detail}',
    hint: '請重試，已有的內容沒有遺失。',
  },
  E_PROVIDER_CONTENT_FILTER: {
    message: '{provider} 的內容篩選器中止了回答。',
    hint: '請換個說法。',
  },
  E_ANSWER_TOO_LARGE: {
    message: '{provider} 的回答沒有結束。',
    hint: '已將其截斷；請重試，或改用其他模型。如果是自建的服務，請檢查它傳送的內容。',
  },
  E_TOO_MANY_CALLS: {
    message: '{provider} 的回答包含超過 {limit} 個工具呼叫。',
    hint: '其中沒有一個被執行；請重試，或要求分成更小的步驟。',
  },
  E_PROVIDER_UNKNOWN: {
    message: '沒有名為「{provider}」的模型服務。',
    hint: '可用的模型服務：{known}。',
  },
  E_MODEL_FALLBACK: {
    message: '「{model}」沒有回答：{why}改由「{next}」回答。',
    hint: '請排除第一個模型無法回答的原因，或用 `--model` 直接選擇另一個模型。',
  },
  E_MODEL_UNKNOWN: {
    message: '[{provider} ]沒有名為「{model}」的模型。',
    hint: '用 `rein models` 檢視可用的模型；用 `rein login <provider>` 儲存模型服務的金鑰。',
  },
  E_KEY_INVALID: {
    message: '這不是 {provider} 的金鑰：{detail}',
    hint: '可以透過管線傳入金鑰，例如 `rein login {provider} < key.txt`，也可以在終端機中輸入。沒有儲存任何內容。',
  },
  E_CONFIG_SYNTAX: {
    message: '{file} 第 {line} 行第 {column} 欄：不是有效的 JSON。',
    hint: '請檢查是否少了逗號、引號或括號。',
  },
  E_CONFIG_INVALID: {
    message: '[{file}：]{key}：{detail}',
    hint: '請在該檔案中更正這一項。用 `rein config path` 檢視檔案位置。',
  },
  E_FOLDER_UNTRUSTED: {
    message: '{folder} 未受信任，因此其中這些不起作用：{items}。`rein trust` 會列出並詢問。',
    hint: '同意之前，請先用 `rein trust` 檢視。',
  },
  E_TRUST_CHANGED: {
    message: '{folder} 中的 {item} 是新的，或在您信任該資料夾之後有變動，因此未啟用。',
    hint: '執行 `rein trust` 可檢視並確認。',
  },
  E_CONFIG_WRITE: {
    message: '無法寫入 {file}：{detail}',
    hint: '請檢查檔案及其所在資料夾的權限。',
  },
  E_HOME_UNUSABLE: {
    message: '資料夾 {folder} 無法使用：{detail}',
    hint: '請確認它可寫入，或用 REIN_HOME 指定其他資料夾。',
  },
  E_USAGE: {
    message: '{detail}',
    hint: '用 `rein --help` 檢視指令與選項。',
  },
  E_INPUT_FILE: {
    message: '無法讀取 {file}：{detail}',
    hint: '請檢查路徑。',
  },
  E_INPUT_IMAGE: {
    message: '{file} 不是模型能讀的圖片：{detail}',
    hint: '請使用 PNG、JPEG、GIF 或 WebP 檔案。',
  },
  E_INPUT_EMPTY: {
    message: '提示詞是空的。',
    hint: '請在 `-p` 後面寫提示詞，或用管線傳入。',
  },
  E_INPUT_FORMAT: {
    message: '輸入的格式不符[：{field}][：{detail}]。',
    hint: '請檢查輸入；使用 `--input-format stream-json` 時，每一行是一個 JSON 物件。',
  },
  E_FOLDER_MISSING: {
    message: '資料夾 {path} 不存在。',
    hint: '請檢查路徑。',
  },
  E_OUTPUT: {
    message: '無法寫出結果：{detail}',
    hint: '請騰出空間，或寫到別處。',
  },
  E_SCHEMA_INVALID: {
    message: '這不是可用的 JSON Schema：{detail}',
    hint: '請更正該 schema。',
  },
  E_HOOK_FILE: {
    message: '無法載入 {file}，這個掛鉤所禁止的操作將不再受限：{detail}',
    hint: '請修正該檔案，或將其移出該資料夾；在此之前不會開啟任何工作階段。',
  },
  E_EXTENSION_LOAD: {
    message: '無法載入 {file}：{detail}',
    hint: '請更正這個檔案，或把它移出資料夾。其他擴充功能已載入。',
  },
  E_EXTENSION_CLASH: {
    message: '有兩個擴充功能都叫「{name}」：{first} 和 {second}。',
    hint: '請將其中一個改名。',
  },
  E_AGENT_FILE: {
    message: '代理程式檔案 {file}:{line} 有問題：{detail}',
    hint: '請修正該檔案；其餘可用的部分已載入。',
  },
  E_EXTENSION_INVALID: {
    message: '{file} 中沒有屬於 `{kind}/` 的內容。',
    hint: '檔案需要有預設匯出，由 `defineTool`、`defineMiddleware`、`defineHook`、`defineProvider` 或 `defineCommand` 建立。',
  },
  E_SKILL_MISSING: {
    message: '沒有名為 {skill} 的技能。',
    hint: '`rein skills list` 列出技能；`rein skills check` 說明為何有技能未能載入。',
  },
  ...storeErrors,
  E_INTERRUPT_STALE: {
    message: '這個詢問已經回覆過，或不是目前等待回覆的那一個。',
    hint: '請重新讀取等待回覆的詢問。',
  },
  E_DECISION_INVALID: {
    message: '回覆與詢問不符[：{decision}]。',
    hint: '請重新讀取等待回覆的詢問。',
  },
  E_MAX_TURNS: {
    message: '執行在 {limit} 輪後結束，已達上限。',
    hint: '用 `-c` 繼續，或用 `--max-turns` 提高上限。',
  },
  E_BUDGET: {
    message: '這次執行的預算已用完。',
    hint: '用 `-c` 繼續，或提高 `--max-budget-usd` 或設定中的 `limits.maxTokens`。',
  },
  E_TIMEOUT: {
    message: '執行時間超過上限[（{limit} 秒）]。',
    hint: '用 `-c` 繼續，或用 `--timeout` 提高上限。',
  },
  E_ABORTED: {
    message: '執行已停止。',
    hint: '用 `-c` 繼續。',
  },
  E_LOOP: {
    message: '模型一再以相同的輸入呼叫工具[（{calls}）]，得到相同的結果。',
    hint: '請把要做的事說得更明確，或換一個模型。',
  },
  E_AGENT_ANSWER: {
    message: '{agent} 沒有給出可用的回答：{detail}',
    hint: '請重試，或為該角色換一個模型（設定中的 `roles`）。',
  },
  E_GRAPH_INVALID: {
    message: '圖 {graph} 無法使用：{detail}',
    hint: '請修正其定義。',
  },
  E_SCHEMA_UNMET: {
    message: '回答不符合 JSON schema：{detail}',
    hint: '請簡化 schema，或換一個模型。',
  },
  E_MIDDLEWARE: {
    message: '中介軟體 {name} 發生錯誤：{detail}',
    hint: '請更正這個檔案，或把它移出資料夾。',
  },
  E_SLASH_COMMAND: {
    message: '指令 /{name} 發生錯誤：{detail}',
    hint: '請更正這個檔案，或把它移出資料夾。',
  },
  E_COMPACTION: {
    message: '對話無法再壓縮：{reason}',
    hint: '請改用上下文視窗更大的模型，關閉不需要的工具，或開始新的工作階段。',
  },
  E_PATH_OUTSIDE: {
    message: '{path} 在工作資料夾之外。',
    hint: '用 `--add-dir` 加入它所在的資料夾。',
  },
  E_FILE: {
    message: '{path}：{detail}',
    hint: '請檢查路徑及其權限。',
  },
  E_SANDBOX_UNAVAILABLE: {
    message: '要求使用沙箱，但這裡沒有可用的沙箱：{detail}',
    hint: '請安裝 bubblewrap，或使用 `--sandbox preferred`。',
  },
  E_SANDBOX_DOMAINS: {
    message: '這裡無法把指令的網路存取限制在 `sandboxDomains` 列出的主機內：{detail}',
    hint: '請安裝 bubblewrap 和 socat，並執行 `npm install --prefix ~/.rein @anthropic-ai/sandbox-runtime`（路徑為您的 `REIN_HOME`），或刪除 `sandboxDomains`。',
  },
  E_CONFIG_IGNORED: {
    message: '{file}：{keys} 不生效；{why}',
    hint: '專案不能設定這一項，或只能設得更嚴格，且要先執行 `rein trust`。',
  },
  E_FILE_CHANGED: {
    message: '{path} 在這段期間已被修改。',
    hint: '請重新讀取。',
  },
  E_FILE_UNSEEN: {
    message: '還沒有讀取過 {path}。',
    hint: '請先讀取。',
  },
  E_FILE_TOO_LARGE: {
    message: '{path} 太大（{size:#} 位元組，上限 {max:#}）。',
    hint: '請讀取其中一部分。',
  },
  E_PATTERN: {
    message: '模式[ {pattern}] 無效：{detail}',
    hint: '請更正模式。',
  },
  E_COMMAND: {
    message: '無法執行指令：{detail}',
    hint: '請檢查指令；用 `rein doctor` 檢查 shell。',
  },
  E_ANSWER_CUT: {
    message: '模型在回答完整之前就停止了。',
    hint: '請讓它繼續，或在設定中提高該模型的 `maxOutput`。',
  },
  E_USAGE_ESTIMATED: {
    message: '{provider} 沒有回報使用了多少 token；token 數和費用依文字估算。',
    hint: '上限依此估算執行。',
  },
  E_PRICES_UNKNOWN: {
    message: '不知道 {model} 的價格，因此金額上限不計入它。',
    hint: '請在 `models.<model>.prices` 中填寫價格，或設定 `limits.maxTokens`。',
  },
  E_LISTENER: {
    message: '監聽此工作階段事件的函式發生錯誤：{detail}',
    hint: '執行會繼續。請更正這個函式。',
  },
  E_HOOK: {
    message: '掛鉤 {hook} 發生錯誤：{detail}',
    hint: '請更正這個掛鉤，或將它從設定中移除。',
  },
  E_PROMPT_REFUSED: {
    message: '掛鉤 {hook} 拒絕了提示詞[：{detail}]',
    hint: '請修改提示詞或這個掛鉤。',
  },
  E_INTERNAL: {
    message: 'rein 內部發生錯誤：{detail}',
    hint: '請加上 `--verbose` 再執行一次，並回報輸出內容。',
  },
} satisfies Dictionary['errors'];
