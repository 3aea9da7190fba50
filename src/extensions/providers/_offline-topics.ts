/** Recognises questions about a project as a whole, in three languages: its purpose, languages, tests and so on. */
import type { Topic } from './_offline-report.ts';

/** Sentences that ask for topics without naming them plainly. */
const sentences: [RegExp, readonly Topic[]][] = [
  [/\b(?:largest|biggest|longest)\b.*\bfiles?\b|最大的?.*(?:文件|檔案)|(?:文件|檔案).*最[大长長]/i, ['largest']],
  [
    /\bhow (?:do|can|to|should|would|does|are)\b.*\b(?:run|build|start|install|test|tests|compile|launch|set up|setup)\b(?!.*\b(?:handled|implemented|defined)\b)|(?:怎么|怎麼|如何|怎样|怎樣).*(?:运行|執行|运行|跑|构建|建置|編譯|编译|启动|啟動|安装|安裝|测试|測試)/i,
    ['commands', 'tests'],
  ],
  [
    /\b(?:which|what)\s+(?:\w+\s+)?(?:dependenc(?:y|ies)|libraries|packages)\b|(?:依赖|依賴|相依|第三方库|套件)(?:哪些|有|$|？|\?)|(?:哪些|什么|什麼).*(?:依赖|依賴|相依|第三方库|套件)/i,
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

type Word = readonly [RegExp, readonly Topic[]];

/** Names of topics, longest first where one holds another. */
const englishNames: readonly Word[] = [
  [/\b(?:entry ?points?|entry files?|entries)\b/g, ['entries', 'reading']],
  [/\b(?:technical debt|code smells?|risks?|oddit(?:y|ies)|problems?|weaknesses|dangers)\b/g, ['risks']],
  [/\b(?:programming )?languages?\b/g, ['languages']],
  [/\b(?:dependenc(?:y|ies)|deps|libraries|packages)\b/g, ['dependencies']],
  [
    /\b(?:(?:folder|directory|project|code|file) )?(?:layout|structure|tree)\b|\b(?:folders|directories)\b/g,
    ['layout'],
  ],
  [/\b(?:purpose|goals?|aim|overview|summary)\b/g, ['purpose']],
  [/\b(?:unit )?tests\b|\btest (?:suite|files|framework)\b|\btesting\b/g, ['tests']],
  [
    /\bhow (?:(?:do|can|should|could) (?:i|we|you|one)|to) (?:run|build|test|start|install|launch|compile)\b/g,
    ['commands'],
  ],
  [/\b(?:build|run|test|install|start)(?:,? (?:and|or|&) (?:build|run|test|install|start))+\b/g, ['commands', 'tests']],
  [/\b(?:build|run|install|start|test)(?: and \w+)? commands?\b|\bcommands\b/g, ['commands']],
];

/** What stands alone as the whole question; in a sentence these words mean code as often as the project. */
const alone: readonly Word[] = [
  [/^(?:build|run|install|start|how to run)$/, ['commands']],
  [/^tests?$/, ['tests']],
];

const englishFiller =
  /\b(?:what|which|where|are|is|the|an?|of|in|on|to|for|this|that|these|its?|it|project|repo|repository|code|code ?base|here|list|show|tell|give|get|name|see|me|us|about|please|and|or|all|any|there|has|have|does|do|with|used?|uses|can|could|you|i|we|want|know|like|would|main|some|again|now|also|'s|s|re)\b|[\s,.;:?!&'’/-]+/g;

const chineseNames: readonly Word[] = [
  [/进入点|進入點|入口点|入口點|入口文件|入口檔案|入口/g, ['entries', 'reading']],
  [/(?:主要)?(?:风险|風險|隐患|隱患)(?:与异常|與異常)?|技术债务?|技術債務?/g, ['risks']],
  [/(?:编程|編程|程式|程序|开发|開發)?(?:语言|語言)/g, ['languages']],
  [/(?:第三方)?(?:依赖|依賴|相依)(?:套件|项|項|关系|關係|库|庫|包)?|第三方(?:库|庫|套件)|套件/g, ['dependencies']],
  [
    /(?:目录|目錄|资料夹|資料夾|文件夹|项目|項目|專案|代码|程式碼)?(?:的)?(?:结构|結構|架构|架構|布局|佈局)/g,
    ['layout'],
  ],
  [/用途|目的|目标|目標|概述|概览|概覽|简介|簡介/g, ['purpose']],
  [
    /(?:怎么|怎麼|如何|怎样|怎樣)(?:运行|執行|跑|构建|建置|編譯|编译|启动|啟動|安装|安裝|測試|测试)/g,
    ['commands', 'tests'],
  ],
  [
    /(?:构建|建置|编译|編譯|运行|執行|安装|安裝)(?:(?:和|与|與|及|以及|、|或)?(?:测试|測試|运行|執行))*(?:命令|方式|方法)?/g,
    ['commands', 'tests'],
  ],
  [/(?:单元|單元)?(?:测试|測試)/g, ['tests']],
];

const chineseFiller =
  /请问|請問|告诉我|告訴我|这个|這個|这|這|该|該|此|本|整个|整個|项目|項目|專案|仓库|倉庫|代码库|代碼庫|程式碼庫|儲存庫|存储库|文件夹|資料夾|程式碼|代码|程式|程序|什么|什麼|哪些|哪个|哪個|哪种|哪種|哪里|哪裡|列出|显示|顯示|介绍|介紹|说明|說明|看看|查看|一下|有没有|有沒有|主要|所有|全部|使用|请|請|的|是|有|和|与|與|及|以|在|用|了|呢|吗|嗎|给|給|我|它|裡|里|中|都|还|還|说|說|[\s，。、；：？！?,.!]+/g;

/** The topics that a question is about; none when it is about something in the code. */
export function topicsOf(prompt: string): readonly Topic[] {
  const plain = prompt.length > 200 || /[`"“「]/.test(prompt) ? [] : plainTopics(prompt);
  return plain.length > 0 ? plain : (sentences.find(([pattern]) => pattern.test(prompt))?.[1] ?? []);
}

function plainTopics(prompt: string): readonly Topic[] {
  const question = prompt
    .trim()
    .toLowerCase()
    .replace(/[?？.。!！]+$/, '');
  const whole = alone.find(([pattern]) => pattern.test(question))?.[1];
  if (whole) return whole;
  return /\p{Script=Han}/u.test(question)
    ? named(question, chineseNames, chineseFiller)
    : named(question, englishNames, englishFiller);
}

/** The topics of a question that holds their names and words of asking, and nothing else. */
function named(question: string, names: readonly Word[], filler: RegExp): Topic[] {
  const topics = new Set<Topic>();
  let rest = question;
  for (const [name, about] of names) {
    const without = rest.replace(name, ' ');
    if (without !== rest) for (const topic of about) topics.add(topic);
    rest = without;
  }
  return rest.replace(filler, '') === '' ? [...topics] : [];
}
