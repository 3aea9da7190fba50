import type { Dictionary } from '../../dictionary.ts';
import { storeErrors } from './store-errors.ts';

export const errors = {
  E_PROVIDER_AUTH: {
    message: '{provider} 拒绝了密钥[（HTTP {status}）]。',
    hint: '请检查密钥：用 `rein login {provider}` 可以重新保存。',
  },
  E_PROVIDER_KEY_MISSING: {
    message: '没有 {provider} 的密钥。',
    hint: '请运行 `rein login {provider}`，或设置 {variable}。',
  },
  E_PROVIDER_URL_MISSING: {
    message: '没有 {provider} 的地址。',
    hint: '请设置 {variable}，或在配置中设置 `providers.{provider}.baseUrl`。',
  },
  E_PROVIDER_RATE_LIMIT: {
    message: '{provider} 限制了请求频率[（HTTP {status}）]。',
    hint: '请稍候再试，或用 `--model` 换一个模型。',
  },
  E_PROVIDER_OVERLOADED: {
    message: '{provider} 负载过高[（HTTP {status}）]。',
    hint: '请稍后再试，或用 `--fallback-model` 指定备用模型。',
  },
  E_PROVIDER_CONTEXT_OVERFLOW: {
    message: '对话过长，超出了模型的上下文。',
    hint: '请新建会话，或压缩当前会话：`rein sessions compact`。',
  },
  E_PROVIDER_INVALID_REQUEST: {
    message: '{provider} 不接受该请求[（HTTP {status}）]：{detail}',
    hint: '请检查模型名称和服务地址（base URL）。',
  },
  E_PROVIDER_NETWORK: {
    message: '无法连接 {provider}：{detail}',
    hint: '请检查网络、代理和服务地址（base URL）。',
  },
  E_PROVIDER_STREAM: {
    message: '{provider} 的回答中断：{detail}',
    hint: '请重试，已有内容没有丢失。',
  },
  E_PROVIDER_CONTENT_FILTER: {
    message: '{provider} 的内容过滤器中止了回答。',
    hint: '请换一种说法。',
  },
  E_ANSWER_TOO_LARGE: {
    message: '{provider} 的回答没有结束。',
    hint: '已将其截断；请重试，或换用其他模型。如果是自建的服务，请检查它发送的内容。',
  },
  E_TOO_MANY_CALLS: {
    message: '{provider} 的回答包含超过 {limit} 个工具调用。',
    hint: '其中没有一个被执行；请重试，或要求分成更小的步骤。',
  },
  E_PROVIDER_UNKNOWN: {
    message: '没有名为“{provider}”的模型服务。',
    hint: '可用的模型服务：{known}。',
  },
  E_MODEL_FALLBACK: {
    message: '“{model}”没有回答：{why}改由“{next}”回答。',
    hint: '请排除第一个模型无法回答的原因，或用 `--model` 直接选择另一个模型。',
  },
  E_MODEL_UNKNOWN: {
    message: '[{provider} ]没有名为“{model}”的模型。',
    hint: '用 `rein models` 查看可用的模型；用 `rein login <provider>` 保存模型服务的密钥。',
  },
  E_KEY_INVALID: {
    message: '这不是 {provider} 的密钥：{detail}',
    hint: '可以通过管道传入密钥，例如 `rein login {provider} < key.txt`，也可以在终端中输入。没有保存任何内容。',
  },
  E_CONFIG_SYNTAX: {
    message: '{file} 第 {line} 行第 {column} 列：不是有效的 JSON。',
    hint: '请检查是否缺少逗号、引号或括号。',
  },
  E_CONFIG_INVALID: {
    message: '[{file}：]{key}：{detail}',
    hint: '请在该文件中改正这一项。用 `rein config path` 查看文件位置。',
  },
  E_FOLDER_UNTRUSTED: {
    message: '{folder} 未受信任，因此其中这些不起作用：{items}。`rein trust` 会列出并询问。',
    hint: '同意之前，请先用 `rein trust` 查看。',
  },
  E_TRUST_CHANGED: {
    message: '{folder} 中的 {item} 是新的，或在您信任该文件夹之后有改动，因此未启用。',
    hint: '运行 `rein trust` 可查看并确认。',
  },
  E_CONFIG_WRITE: {
    message: '无法写入 {file}：{detail}',
    hint: '请检查文件及其所在文件夹的权限。',
  },
  E_HOME_UNUSABLE: {
    message: '文件夹 {folder} 无法使用：{detail}',
    hint: '请确保它可写，或用 REIN_HOME 指定别的文件夹。',
  },
  E_USAGE: {
    message: '{detail}',
    hint: '用 `rein --help` 查看命令和选项。',
  },
  E_INPUT_FILE: {
    message: '无法读取 {file}：{detail}',
    hint: '请检查路径。',
  },
  E_INPUT_IMAGE: {
    message: '{file} 不是模型可读的图片：{detail}',
    hint: '请使用 PNG、JPEG、GIF 或 WebP 文件。',
  },
  E_INPUT_EMPTY: {
    message: '提示词为空。',
    hint: '请在 `-p` 后写提示词，或通过管道传入。',
  },
  E_INPUT_FORMAT: {
    message: '输入的格式不符[：{field}][：{detail}]。',
    hint: '请检查输入；使用 `--input-format stream-json` 时，每行是一个 JSON 对象。',
  },
  E_FOLDER_MISSING: {
    message: '文件夹 {path} 不存在。',
    hint: '请检查路径。',
  },
  E_OUTPUT: {
    message: '无法写出结果：{detail}',
    hint: '请腾出空间，或写到别处。',
  },
  E_SCHEMA_INVALID: {
    message: '这不是可用的 JSON Schema：{detail}',
    hint: '请更正该 schema。',
  },
  E_HOOK_FILE: {
    message: '无法加载 {file}，这个钩子所禁止的操作将不再受限：{detail}',
    hint: '请修正该文件，或将其移出该文件夹；在此之前不会打开任何会话。',
  },
  E_EXTENSION_LOAD: {
    message: '无法加载 {file}：{detail}',
    hint: '请改正该文件，或把它移出文件夹。其他扩展已加载。',
  },
  E_EXTENSION_CLASH: {
    message: '有两个扩展都叫“{name}”：{first} 和 {second}。',
    hint: '请给其中一个改名。',
  },
  E_AGENT_FILE: {
    message: '智能体文件 {file}:{line} 有问题：{detail}',
    hint: '请修正该文件；其余可用的部分已加载。',
  },
  E_EXTENSION_INVALID: {
    message: '{file} 中没有属于 `{kind}/` 的内容。',
    hint: '文件需要有默认导出，由 `defineTool`、`defineMiddleware`、`defineHook`、`defineProvider` 或 `defineCommand` 创建。',
  },
  E_SKILL_MISSING: {
    message: '没有名为 {skill} 的技能。',
    hint: '`rein skills list` 列出技能；`rein skills check` 说明为何有技能未能加载。',
  },
  ...storeErrors,
  E_INTERRUPT_STALE: {
    message: '这个询问已经答复过，或不是当前等待答复的那个。',
    hint: '请重新读取等待答复的询问。',
  },
  E_DECISION_INVALID: {
    message: '答复与询问不符[：{decision}]。',
    hint: '请重新读取等待答复的询问。',
  },
  E_MAX_TURNS: {
    message: '运行在 {limit} 轮后结束，已达上限。',
    hint: '用 `-c` 继续，或用 `--max-turns` 提高上限。',
  },
  E_BUDGET: {
    message: '本次运行的预算已用完。',
    hint: '用 `-c` 继续，或提高 `--max-budget-usd` 或配置中的 `limits.maxTokens`。',
  },
  E_TIMEOUT: {
    message: '运行时间超过了上限[（{limit} 秒）]。',
    hint: '用 `-c` 继续，或用 `--timeout` 提高上限。',
  },
  E_ABORTED: {
    message: '运行已停止。',
    hint: '用 `-c` 继续。',
  },
  E_LOOP: {
    message: '模型一再以相同的输入调用工具[（{calls}）]，得到相同的结果。',
    hint: '请把要做的事说得更明确，或换一个模型。',
  },
  E_AGENT_ANSWER: {
    message: '{agent} 没有给出可用的回答：{detail}',
    hint: '请重试，或为该角色换一个模型（配置中的 `roles`）。',
  },
  E_GRAPH_INVALID: {
    message: '图 {graph} 无法使用：{detail}',
    hint: '请修正其定义。',
  },
  E_SCHEMA_UNMET: {
    message: '回答不符合 JSON schema：{detail}',
    hint: '请简化 schema，或换一个模型。',
  },
  E_MIDDLEWARE: {
    message: '中间件 {name} 出错：{detail}',
    hint: '请改正该文件，或把它移出文件夹。',
  },
  E_SLASH_COMMAND: {
    message: '命令 /{name} 出错：{detail}',
    hint: '请改正该文件，或把它移出文件夹。',
  },
  E_COMPACTION: {
    message: '对话无法再压缩：{reason}',
    hint: '请换用上下文窗口更大的模型，关闭不需要的工具，或开始新的会话。',
  },
  E_PATH_OUTSIDE: {
    message: '{path} 在工作文件夹之外。',
    hint: '用 `--add-dir` 添加它所在的文件夹。',
  },
  E_FILE: {
    message: '{path}：{detail}',
    hint: '请检查路径及其权限。',
  },
  E_SANDBOX_UNAVAILABLE: {
    message: '要求使用沙箱，但这里没有可用的沙箱：{detail}',
    hint: '请安装 bubblewrap，或使用 `--sandbox preferred`。',
  },
  E_SANDBOX_DOMAINS: {
    message: '这里无法把命令的网络访问限制在 `sandboxDomains` 列出的主机内：{detail}',
    hint: '请安装 bubblewrap 和 socat，并运行 `npm install --prefix ~/.rein @anthropic-ai/sandbox-runtime`（路径为您的 `REIN_HOME`），或删除 `sandboxDomains`。',
  },
  E_CONFIG_IGNORED: {
    message: '{file}：{keys} 不生效；{why}',
    hint: '项目不能设置这一项，或只能设得更严格，且需先运行 `rein trust`。',
  },
  E_FILE_CHANGED: {
    message: '{path} 在此期间已被修改。',
    hint: '请重新读取。',
  },
  E_FILE_UNSEEN: {
    message: '尚未读取过 {path}。',
    hint: '请先读取。',
  },
  E_FILE_TOO_LARGE: {
    message: '{path} 过大（{size:#} 字节，上限 {max:#}）。',
    hint: '请读取其中一部分。',
  },
  E_PATTERN: {
    message: '模式[ {pattern}] 无效：{detail}',
    hint: '请改正模式。',
  },
  E_COMMAND: {
    message: '无法运行命令：{detail}',
    hint: '请检查命令；用 `rein doctor` 检查 shell。',
  },
  E_ANSWER_CUT: {
    message: '模型在回答完整之前就停止了。',
    hint: '请让它继续，或在配置中提高该模型的 `maxOutput`。',
  },
  E_USAGE_ESTIMATED: {
    message: '{provider} 没有报告使用了多少 token；token 数和费用按文本估算。',
    hint: '上限按此估算执行。',
  },
  E_PRICES_UNKNOWN: {
    message: '不知道 {model} 的价格，因此金额上限不计入它。',
    hint: '请在 `models.<model>.prices` 中填写价格，或设置 `limits.maxTokens`。',
  },
  E_LISTENER: {
    message: '监听此会话事件的函数出错：{detail}',
    hint: '运行继续。请改正该函数。',
  },
  E_HOOK: {
    message: '钩子 {hook} 出错：{detail}',
    hint: '请改正该钩子，或将其移出配置。',
  },
  E_PROMPT_REFUSED: {
    message: '钩子 {hook} 拒绝了提示词[：{detail}]',
    hint: '请修改提示词或该钩子。',
  },
  E_INTERNAL: {
    message: 'rein 内部出错：{detail}',
    hint: '请加上 `--verbose` 再运行一次，并反馈其输出。',
  },
} satisfies Dictionary['errors'];
