/** Texts of the error catalogue. */
import type { ErrorCode } from '../../../../protocol/errors.ts';
import { storeErrors } from './store-errors.ts';

export const errors = {
  E_PROVIDER_AUTH: {
    message: '{provider} refused the key[ (HTTP {status})].',
    hint: 'Check the key: `rein login {provider}` stores a new one.',
  },
  E_PROVIDER_KEY_MISSING: {
    message: 'There is no key for {provider}.',
    hint: 'Run `rein login {provider}`, or set {variable}.',
  },
  E_PROVIDER_URL_MISSING: {
    message: 'There is no address for {provider}.',
    hint: 'Set {variable}, or `providers.{provider}.baseUrl` in the configuration.',
  },
  E_PROVIDER_RATE_LIMIT: {
    message: '{provider} limits the rate of requests[ (HTTP {status})].',
    hint: 'Wait a moment and try again, or choose another model with `--model`.',
  },
  E_PROVIDER_OVERLOADED: {
    message: '{provider} is overloaded[ (HTTP {status})].',
    hint: 'Try again later, or name a second model with `--fallback-model`.',
  },
  E_PROVIDER_CONTEXT_OVERFLOW: {
    message: 'The conversation is too long for the model.',
    hint: 'Start a new session, or compact this one: `rein sessions compact`.',
  },
  E_PROVIDER_INVALID_REQUEST: {
    message: '{provider} did not accept the request[ (HTTP {status})]: {detail}',
    hint: 'Check the model name and the base URL.',
  },
  E_PROVIDER_NETWORK: {
    message: '{provider} cannot be reached: {detail}',
    hint: 'Check the network, the proxy and the base URL.',
  },
  E_PROVIDER_STREAM: {
    message: 'The answer of {provider} was cut off: {detail}',
    hint: 'Try again; nothing was lost.',
  },
  E_PROVIDER_CONTENT_FILTER: {
    message: 'The content filter of {provider} stopped the answer.',
    hint: 'Ask in other words.',
  },
  E_ANSWER_TOO_LARGE: {
    message: 'The answer of {provider} did not end.',
    hint: 'It was cut off; try again, or use another model. With a server of your own, look at what it sends.',
  },
  E_TOO_MANY_CALLS: {
    message: 'The answer of {provider} has more than {limit} tool calls.',
    hint: 'None of them was run; try again, or ask for smaller steps.',
  },
  E_PROVIDER_UNKNOWN: {
    message: 'There is no provider named "{provider}".',
    hint: 'Known providers: {known}.',
  },
  E_MODEL_FALLBACK: {
    message: '"{model}" did not answer: {why} "{next}" answers instead.',
    hint: 'Mend what keeps the first model from answering, or choose the other one with `--model`.',
  },
  E_MODEL_UNKNOWN: {
    message: 'There is no model named "{model}"[ at {provider}].',
    hint: '`rein models` lists what can be used; `rein login <provider>` stores the key of a provider.',
  },
  E_KEY_INVALID: {
    message: 'This is no key for {provider}: {detail}',
    hint: 'Pipe the key in, as in `rein login {provider} < key.txt`, or type it at a terminal. Nothing was stored.',
  },
  E_CONFIG_SYNTAX: {
    message: '{file}, line {line}, column {column}: this is not valid JSON.',
    hint: 'Look for a missing comma, quote or bracket.',
  },
  E_CONFIG_INVALID: {
    message: '[{file}: ]{key}: {detail}',
    hint: 'Correct the key in that file. `rein config path` shows where the files are.',
  },
  E_FOLDER_UNTRUSTED: {
    message: '{folder} is not trusted, so this in it is off: {items}. `rein trust` shows it and asks.',
    hint: 'Look at it with `rein trust` before you say yes.',
  },
  E_TRUST_CHANGED: {
    message: '{item} in {folder} is new or changed since you trusted the folder, and off.',
    hint: '`rein trust` shows it and asks.',
  },
  E_CONFIG_WRITE: {
    message: '{file} cannot be written: {detail}',
    hint: 'Check the permissions of the file and its folder.',
  },
  E_HOME_UNUSABLE: {
    message: 'The folder {folder} cannot be used: {detail}',
    hint: 'Make it writable, or name another one with REIN_HOME.',
  },
  E_USAGE: {
    message: '{detail}',
    hint: '`rein --help` shows the commands and flags.',
  },
  E_INPUT_FILE: {
    message: '{file} cannot be read: {detail}',
    hint: 'Check the path.',
  },
  E_INPUT_IMAGE: {
    message: '{file} is no image that a model can read: {detail}',
    hint: 'Use a PNG, JPEG, GIF or WebP file.',
  },
  E_INPUT_EMPTY: {
    message: 'The prompt is empty.',
    hint: 'Give a prompt after `-p`, or pipe one in.',
  },
  E_INPUT_FORMAT: {
    message: 'The input is not in the expected format[: {field}][: {detail}].',
    hint: 'Check what was given; with `--input-format stream-json` each line is one JSON object.',
  },
  E_FOLDER_MISSING: {
    message: 'The folder {path} does not exist.',
    hint: 'Check the path.',
  },
  E_OUTPUT: {
    message: 'The output cannot be written: {detail}',
    hint: 'Make room, or write it elsewhere.',
  },
  E_SCHEMA_INVALID: {
    message: 'This is no JSON Schema that can be used: {detail}',
    hint: 'Correct the schema.',
  },
  E_HOOK_FILE: {
    message: '{file} could not be loaded, so what this hook forbids would be allowed: {detail}',
    hint: 'Correct the file, or move it out of the folder. Until then no session is opened.',
  },
  E_EXTENSION_LOAD: {
    message: '{file} could not be loaded: {detail}',
    hint: 'Correct the file, or move it out of the folder. The other extensions are loaded.',
  },
  E_EXTENSION_CLASH: {
    message: 'Two extensions are named "{name}": {first} and {second}.',
    hint: 'Rename one of them.',
  },
  E_AGENT_FILE: {
    message: 'The agent file {file}:{line} is not as it should be: {detail}',
    hint: 'Mend the file; what can be used of it is loaded.',
  },
  E_EXTENSION_INVALID: {
    message: '{file} holds nothing that belongs in `{kind}/`.',
    hint: 'The file needs a default export made by `defineTool`, `defineMiddleware`, `defineHook`, `defineProvider` or `defineCommand`.',
  },
  E_SKILL_MISSING: {
    message: 'There is no skill {skill}.',
    hint: '`rein skills list` shows the skills; `rein skills check` says why one does not load.',
  },
  ...storeErrors,
  E_INTERRUPT_STALE: {
    message: 'This question has been answered already, or it is not the one that is open.',
    hint: 'Read the open questions again.',
  },
  E_DECISION_INVALID: {
    message: 'The answer does not fit the question[: {decision}].',
    hint: 'Read the open questions again.',
  },
  E_MAX_TURNS: {
    message: 'The run ended after {limit} {limit:turn|turns}, the limit.',
    hint: 'Continue with `-c`, or raise the limit with `--max-turns`.',
  },
  E_BUDGET: {
    message: 'The run has used up its budget.',
    hint: 'Continue with `-c`, or raise `--max-budget-usd` or `limits.maxTokens` in the configuration.',
  },
  E_TIMEOUT: {
    message: 'The run took longer than allowed[: {limit} s].',
    hint: 'Continue with `-c`, or raise the limit with `--timeout`.',
  },
  E_ABORTED: {
    message: 'The run was stopped.',
    hint: 'Continue with `-c`.',
  },
  E_LOOP: {
    message: 'The model called tools[ ({calls})] again and again with the same input and the same result.',
    hint: 'Say more precisely what to do, or use another model.',
  },
  E_AGENT_ANSWER: {
    message: 'The {agent} gave no answer that can be used: {detail}',
    hint: 'Try again, or use another model for this role (`roles` in the configuration).',
  },
  E_GRAPH_INVALID: {
    message: 'The graph {graph} cannot be used: {detail}',
    hint: 'Mend its definition.',
  },
  E_SCHEMA_UNMET: {
    message: 'The answer does not meet the JSON schema: {detail}',
    hint: 'Make the schema simpler, or use another model.',
  },
  E_MIDDLEWARE: {
    message: 'The middleware {name} failed: {detail}',
    hint: 'Correct its file, or move it out of the folder.',
  },
  E_SLASH_COMMAND: {
    message: 'The command /{name} failed: {detail}',
    hint: 'Correct its file, or move it out of the folder.',
  },
  E_COMPACTION: {
    message: 'The conversation cannot be made shorter: {reason}',
    hint: 'Use a model with a larger context window, switch off tools you do not need, or begin a new session.',
  },
  E_PATH_OUTSIDE: {
    message: '{path} is outside the working folder.',
    hint: 'Add its folder with `--add-dir`.',
  },
  E_FILE: {
    message: '{path}: {detail}',
    hint: 'Check the path and its permissions.',
  },
  E_SANDBOX_UNAVAILABLE: {
    message: 'A sandbox is required and none works here: {detail}',
    hint: 'Install bubblewrap, or use `--sandbox preferred`.',
  },
  E_SANDBOX_DOMAINS: {
    message: 'Nothing here holds commands to the hosts in `sandboxDomains`: {detail}',
    hint: 'Install bubblewrap and socat, run `npm install --prefix ~/.rein @anthropic-ai/sandbox-runtime` (with your `REIN_HOME`), or take `sandboxDomains` out.',
  },
  E_CONFIG_IGNORED: {
    message: '{file}: no effect have {keys}; {why}',
    hint: 'A project may not set it, or only more strictly, and only after `rein trust`.',
  },
  E_FILE_CHANGED: {
    message: '{path} was changed in the meantime.',
    hint: 'Read it again.',
  },
  E_FILE_UNSEEN: {
    message: '{path} was not read before.',
    hint: 'Read it first.',
  },
  E_FILE_TOO_LARGE: {
    message: '{path} is too large ({size:#} bytes, at most {max:#}).',
    hint: 'Read a part of it.',
  },
  E_PATTERN: {
    message: 'The pattern[ {pattern}] is not valid: {detail}',
    hint: 'Correct the pattern.',
  },
  E_COMMAND: {
    message: 'The command cannot be run: {detail}',
    hint: 'Check the command; `rein doctor` looks at the shell.',
  },
  E_ANSWER_CUT: {
    message: 'The model stopped before its answer was whole.',
    hint: "Ask it to go on, or raise the model's `maxOutput` in the configuration.",
  },
  E_USAGE_ESTIMATED: {
    message: '{provider} does not report how many tokens it used; tokens and cost are estimated from the text.',
    hint: 'The limit is kept by this estimate.',
  },
  E_PRICES_UNKNOWN: {
    message: 'What {model} costs is not known, so the limit of money does not count it.',
    hint: 'Give its prices in `models.<model>.prices`, or set `limits.maxTokens`.',
  },
  E_LISTENER: {
    message: "A listener of this session's events failed: {detail}",
    hint: 'The run goes on. Correct the listener.',
  },
  E_HOOK: {
    message: 'The hook {hook} failed: {detail}',
    hint: 'Correct the hook, or take it out of the configuration.',
  },
  E_PROMPT_REFUSED: {
    message: 'The hook {hook} refused the prompt[: {detail}]',
    hint: 'Change the prompt, or the hook.',
  },
  E_INTERNAL: {
    message: 'Something went wrong inside rein: {detail}',
    hint: 'Run it again with `--verbose` and report what it says.',
  },
} satisfies Record<ErrorCode, { message: string; hint: string }>;
