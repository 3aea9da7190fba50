/** The offline model as planner, executor and reviewer of the plan graph: what it can answer, it also writes to a file. */
import { findJson } from '../../lib/find-json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { type Language, languageOf } from './_offline-language.ts';
import { textFor } from './_offline-text.ts';
import type { Step, View } from './_offline-view.ts';

const heads = {
  planner: 'Make a plan for this request:',
  executor: 'Carry out this one step of a plan, and no other:',
  reviewer: 'Review what was done for this request:',
} as const;

/** Whether a request is one that the plan graph makes. */
export function isPlanWork({ prompt }: View): boolean {
  return Object.values(heads).some((head) => prompt.startsWith(head));
}

/** `answer` is how a question is answered outside of a plan. */
export function planNext(view: View, answer: (view: View) => Step): Step {
  if (view.prompt.startsWith(heads.planner)) return json(makePlan(view));
  return view.prompt.startsWith(heads.executor) ? carryOut(view, answer) : json(judge(view));
}

const words: Readonly<
  Record<Language, { write: string; isThere: string; answered: string; rules: string; missing: string }>
> = {
  en: {
    write: 'Write the result of step_1 into',
    isThere: 'is there',
    answered: 'The question is answered from the files',
    rules: 'No language model was used: the plan was made by rules',
    missing: 'There is no result of an earlier step to write',
  },
  'zh-CN': {
    write: '把 step_1 的结果写入',
    isThere: '存在',
    answered: '根据文件回答了问题',
    rules: '没有使用语言模型：计划由规则生成',
    missing: '没有可写入的前一步结果',
  },
  'zh-TW': {
    write: '把 step_1 的結果寫入',
    isThere: '存在',
    answered: '根據檔案回答了問題',
    rules: '沒有使用語言模型：計畫由規則產生',
    missing: '沒有可寫入的前一步結果',
  },
};

/** A file's name: letters of any script, no spaces. */
const file = String.raw`(?<file>[\p{L}\p{N}_./-]*[\p{L}\p{N}_-]\.\w{1,8})`;
const into = '(?:(?:写|寫|存|放|列|记|記|匯|导出|導出|输出|輸出|保存|儲存|另存)?(?:入|进|進|到|成|为|為)|列在)';
const inside = '(?:这个|這個)?(?:文件|檔案)?(?:中|里|裡|內|内|裡面|里面)?';

/** How a request names the file that its result goes into, surest first. */
const targets: readonly RegExp[] = [
  `^(?<topic>.*?)\\s*\\b(?:in|into|to|as)\\s+(?:(?:a|the) )?(?:file )?["'\`「“]?${file}["'\`」”]?\\s*[.。]?$`,
  `^(?<topic>.*?)[，,]?\\s*${into}(?:\\s+|\\s*["'\`「“])${file}["'\`」”]?\\s*${inside}\\s*[.。]?$`,
  `^(?<topic>.*)[，,]?${into}${file}\\s*${inside}\\s*[.。]?$`,
  `^(?:请|請)?[在往到用]\\s*["'\`「“]?${file}["'\`」”]?\\s*${inside}\\s*(?=[列写寫记記输輸])(?<topic>.*)$`,
].map((pattern) => new RegExp(pattern, 'isu'));

interface Wanted {
  /** What is to be found out. */
  readonly topic: string;
  readonly file: string;
}

/** A request that wants its result in a file. */
function wantedIn(request: string): Wanted | undefined {
  for (const target of targets) {
    const found = target.exec(request)?.groups;
    if (!found?.file) continue;
    const topic = (found.topic ?? '')
      .replace(/^(?:请|請)?(?:把|将|將)/, '')
      .replace(/(?:列出?|整理|写|寫|输出|輸出)$/, '');
    return { topic: topic.trim(), file: found.file };
  }
  return undefined;
}

function makePlan(view: View): JsonObject {
  const { prompt, preferred } = view;
  const request = paragraph(prompt, heads.planner);
  const { write, isThere, answered, rules } = words[languageOf(request, preferred)];
  const wanted = /^- write_file: /m.test(prompt) ? wantedIn(request) : undefined;
  const gather = step('step_1', wanted?.topic ?? request, 'none');
  const there = wanted && `${wanted.file} ${isThere}`;
  return {
    task_goal: request,
    task_type: 'research',
    assumptions: [rules],
    risks: [],
    success_criteria: [there ?? answered],
    steps: wanted ? [gather, step('step_2', `${write} ${wanted.file}`, 'write_file')] : [gather],
    requires_user_confirmation: false,
    checks: wanted ? [{ criterion: there ?? '', file_exists: wanted.file }] : [],
  };
}

function step(id: string, description: string, required_tool: string): JsonObject {
  return { id, description, required_tool, expected_output: description, risk_level: 'low' };
}

function carryOut(view: View, answer: (view: View) => Step): Step {
  const { description, required_tool } = readJson(view.prompt, heads.executor) as JsonObject;
  if (required_tool === 'write_file') return writeResult(view, String(description));
  const language = languageOf(String(description), view.preferred);
  const next = answer({ ...view, prompt: String(description), language });
  if ('calls' in next) return next;
  const isDeclined = next.text.startsWith(textFor(language).chat.cannotWrite);
  return report(isDeclined ? 'failed' : 'success', next.text);
}

/** A file that is there must have been read before it may be written. */
function writeResult({ prompt, turn, outcomes, preferred }: View, description: string): Step {
  const { missing } = words[languageOf(description, preferred)];
  const file = description.split(' ').at(-1) ?? '';
  const results = readJson(prompt, 'Results of other steps:');
  const content = Array.isArray(results) ? String((results[0] as JsonObject).result_summary) : '';
  if (content === '') return report('failed', missing);
  if (turn === 0) return { calls: [{ name: 'read_file', input: { file_path: file } }] };
  if (turn === 1) return { calls: [{ name: 'write_file', input: { file_path: file, content: `${content}\n` } }] };
  const written = outcomes.findLast(({ name }) => name === 'write_file');
  if (written?.status !== 'ok') return report('failed', written?.text ?? missing);
  return report('success', `→ ${file}`, [file]);
}

function report(status: string, result_summary: string, artifacts_created: string[] = []): Step {
  const errors = status === 'failed' ? [result_summary] : [];
  return json({ status, actions_taken: [], artifacts_created, errors, result_summary });
}

/** By what is recorded: each step succeeded, each check passed. */
function judge({ prompt }: View): JsonObject {
  const outputs = readJson(prompt, 'What the steps brought (calls and outputs are recorded') as JsonObject[];
  const checks = (readJson(prompt, 'Checks that were run') ?? []) as JsonObject[];
  const failed = outputs.filter(({ status }) => status === 'failed');
  const broken = checks.filter(({ ok }) => ok !== true);
  const issues = [
    ...failed.map(({ step_id, result_summary }) => issue(String(result_summary), { step_id: step_id ?? '' })),
    ...broken.map(({ criterion, output }) => issue(`${criterion}: ${output ?? ''}`)),
  ];
  const isGood = issues.length === 0;
  return { verdict: isGood ? 'pass' : 'fail', score: isGood ? 1 : 0, issues, next_action: 'finalize' };
}

function issue(description: string, more: JsonObject = {}): JsonObject {
  return { type: 'missing_output', severity: 'high', description, suggested_fix: '', ...more };
}

/** The paragraphs after a head, up to the next one that the graph writes. */
function paragraph(prompt: string, head: string): string {
  const text = prompt.slice(prompt.indexOf(head) + head.length);
  const end = text.search(
    /\n\n(?:What was said before|Constraints|The user will run these checks|An earlier plan did|What its steps brought|What to heed|Tools that a step may require)\b/,
  );
  return (end < 0 ? text : text.slice(0, end)).trim();
}

/** The JSON below a head; it has no blank lines. */
function readJson(prompt: string, head: string): Json | undefined {
  const at = prompt.indexOf(head);
  if (at < 0) return undefined;
  const text = prompt.slice(prompt.indexOf('\n', at) + 1).split('\n\n', 1)[0] ?? '';
  return findJson(text).next().value as Json | undefined;
}

function json(value: JsonObject): Step {
  return { text: JSON.stringify(value) };
}
