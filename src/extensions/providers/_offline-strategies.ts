/** The dispatch table of the offline model: the first strategy that recognises a request answers it. */

import { toFacts } from './_offline-facts.ts';
import { isPlanWork, planNext } from './_offline-plan.ts';
import { renderReport, type Topic } from './_offline-report.ts';
import { searchNext } from './_offline-search.ts';
import { surveyCalls } from './_offline-survey.ts';
import { textFor } from './_offline-text.ts';
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

/** The next step for a request; calls go only to tools that are there. */
export function nextStep(whole: View): Step {
  const isPlan = plan.recognises(whole);
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

const topicPatterns: [RegExp, readonly Topic[]][] = [
  [/\b(?:largest|biggest|longest)\b.*\bfiles?\b|最大的?.*(?:文件|檔案)|(?:文件|檔案).*最[大长長]/i, ['largest']],
  [
    /\bhow (?:do|can|to|should|would|does|are)\b.*\b(?:run|build|start|install|test|tests|compile|launch|set up|setup)\b(?!.*\b(?:handled|implemented|defined)\b)|(?:怎么|怎麼|如何|怎样|怎樣).*(?:运行|執行|运行|跑|构建|建置|編譯|编译|启动|啟動|安装|安裝|测试|測試)/i,
    ['commands', 'tests'],
  ],
  [
    /\b(?:which|what)\b.*\b(?:dependenc(?:y|ies)|libraries|packages)\b.*|(?:依赖|依賴|相依|第三方库|套件)(?:哪些|有|是|$|？|\?)|(?:哪些|什么|什麼).*(?:依赖|依賴|相依|第三方库|套件)/i,
    ['dependencies'],
  ],
  [
    /\b(?:which|what)\b.*\b(?:programming )?languages?\b.*\b(?:written|used|use|repo|repository|project|code|codebase|this)\b|(?:什么|什麼|哪些|哪种|哪種|用何).*(?:语言|語言)(?:写|寫|编写|編寫|开发|開發|$|？|\?)/i,
    ['languages'],
  ],
  [
    /\b(?:what (?:is|does)|explain|describe|summari[sz]e|overview of)\b\s*(?:this|the)?\s*(?:whole |entire )?(?:repo(?:sitory)?|project|code\s?base|folder|program|app|application|package|library)\b(?:\s+(?:do|about|for))*\s*[?.!]?$|(?:这|這|该|該|此|本)(?:个|個)?(?:项目|項目|專案|仓库|倉庫|代码库|程式碼庫|程序|程式|库|軟體|软件).*(?:做什么|做什麼|干什么|幹什麼|是什么|是什麼|干嘛|用途|介绍|介紹|概述|概览|概覽|有什么用|有什麼用)/i,
    ['purpose', 'languages', 'layout', 'entries'],
  ],
  [
    /\b(?:structure|layout|organi[sz]ed|organi[sz]ation|folders?|directories)\b.*\b(?:repo(?:sitory)?|project|code\s?base|here|this|code)\b|\bhow is (?:this|the) (?:repo(?:sitory)?|project|code(?:base)?) (?:structured|laid out|organi[sz]ed)|(?:目录|目錄|项目|項目|專案|代码|程式碼)(?:的)?(?:结构|結構|架构|架構|组织|組織)/i,
    ['layout'],
  ],
  [
    /\bentry ?points?\b|\bwhere (?:does|do|should) (?:it|the (?:program|app|application|code)|everything|i) (?:begin|start)\b|(?:入口|从哪里开始|從哪裡開始|从哪里读起|從哪裡讀起|从哪开始)/i,
    ['entries', 'reading'],
  ],
  [
    /\b(?:risks?|problems?|oddities|technical debt|code smells?)\b.*\b(?:repo(?:sitory)?|project|code\s?base|here|this)\b|(?:有哪些|有什么|有什麼).*(?:风险|風險|问题|問題|隐患|隱患|技术债|技術債)/i,
    ['risks'],
  ],
];

function topicsOf(prompt: string): readonly Topic[] {
  return topicPatterns.find(([pattern]) => pattern.test(prompt))?.[1] ?? [];
}
