/** The dispatch table of the offline model: the first strategy that recognises a request answers it. */

import { toFacts } from './_offline-facts.ts';
import { isPlanWork, planNext } from './_offline-plan.ts';
import { renderReport, type Topic } from './_offline-report.ts';
import { searchNext } from './_offline-search.ts';
import { surveyCalls } from './_offline-survey.ts';
import { textFor } from './_offline-text.ts';
import type { OfflineText } from './_offline-text-en.ts';
import { topicsOf } from './_offline-topics.ts';
import type { Call, Step, View } from './_offline-view.ts';

interface Strategy {
  readonly name: string;
  recognises(view: View): boolean;
  next(view: View): Step;
}

const plan: Strategy = { name: 'plan', recognises: isPlanWork, next: (view) => planNext(view, nextStep) };
const strategies: readonly Strategy[] = [
  { name: 'analyze', recognises: ({ prompt }) => isAnalysis(prompt), next: (view) => survey(view) },
  { name: 'edit', recognises: ({ prompt }) => isEdit(prompt), next: declineEdit },
  {
    name: 'topic',
    recognises: ({ prompt }) => topicsOf(prompt).length > 0,
    next: (view) => survey(view, topicsOf(view.prompt)),
  },
  { name: 'search', recognises: () => true, next: searchNext },
];

/** The next step for a request; calls go only to tools that are there. Each answer says that no language model was used. */
export function nextStep(whole: View): Step {
  const isPlan = plan.recognises(whole);
  const step = stepFor(whole, isPlan);
  return 'text' in step && !isPlan ? { text: signed(step.text, textFor(whole.language)) } : step;
}

function signed(answer: string, { notice, noticeShort }: OfflineText): string {
  return answer.includes(notice) || answer.includes(noticeShort) ? answer : `${answer}\n\n_${noticeShort}_`;
}

function stepFor(whole: View, isPlan: boolean): Step {
  const view = isPlan ? whole : { ...whole, prompt: gist(whole.prompt), earlier: whole.earlier.map(gist) };
  const strategy = isPlan ? plan : strategies.find((one) => one.recognises(view));
  const tools = ['ls', 'glob', 'grep', 'read_file'].filter((name) => view.tools.has(name));
  if (!strategy || (tools.length === 0 && view.outcomes.length === 0)) return { text: textFor(view.language).noTools };
  for (let turn = view.turn; ; turn++) {
    const step = strategy.next({ ...view, turn });
    if ('text' in step) return step;
    const calls = step.calls.filter((call) => view.tools.has(call.name));
    if (calls.length > 0) return { calls };
  }
}

const longest = 4000;

/** Rules look at questions; of what somebody pasted, its beginning and end say enough. */
function gist(prompt: string): string {
  return prompt.length > longest ? `${prompt.slice(0, longest * 0.75)}\n${prompt.slice(-longest * 0.25)}` : prompt;
}

function survey(view: View, topics?: readonly Topic[]): Step {
  const facts = toFacts(view.outcomes);
  const calls: Call[] = surveyCalls(view.turn, facts);
  return calls.length > 0 ? { calls } : { text: renderReport(facts, textFor(view.language), topics) };
}

function declineEdit(view: View): Step {
  const text = textFor(view.language).chat;
  const step = searchNext(view);
  if ('calls' in step) return step;
  const found = view.outcomes.length > 0 ? `\n\n${text.placesToChange} ${step.text}` : '';
  return { text: `${text.cannotWrite}${found}` };
}

/** `Analyze this repository …` and the like, in three languages. */
function isAnalysis(prompt: string): boolean {
  return (
    /^(?:please\s+)?(?:analy[sz]e|survey)(?:\s+(?:this|the|my|our))?(?:\s+(?:whole|entire|current))?(?:\s+(?:repo(?:sitory)?|project|code\s?base|code|folder|directory|workspace)\b|\s*[.!]?$)/i.test(
      prompt,
    ) ||
    /(?:分析|剖析|解析)(?:一下|下)?(?:这个|這個|此|本|当前|目前的?|整个|整個)?(?:代码仓库|代碼倉庫|程式碼倉庫|程式碼儲存庫|存储库|儲存庫|代码库|程式碼庫|仓库|倉庫|项目|項目|專案|代码|程式碼|文件夹|資料夾|目录|目錄)/.test(
      prompt,
    )
  );
}

function isEdit(prompt: string): boolean {
  return (
    /^(?:please\s+|can you\s+|could you\s+|would you\s+|i want you to\s+|now\s+)*(?:fix|add|write|implement|refactor|rename|remove|delete|create|edit|update|change|generate|replace|migrate|convert|upgrade|make|build me|move|port|optimi[sz]e|rewrite|improve)\b/i.test(
      prompt,
    ) ||
    /^(?:请|請|帮我|幫我|麻烦|麻煩|你)*(?:修复|修復|修正|修改|添加|新增|增加|写|寫|编写|編寫|撰寫|实现|實作|實現|重构|重構|重命名|重新命名|删除|刪除|移除|创建|建立|更新|改|生成|替换|替換|优化|最佳化)/.test(
      prompt,
    )
  );
}
