/** What to search for: the names and words of a question, in English or Chinese. */

export interface Terms {
  /** Written as names in the question (`CamelCase`, `snake_case`, quoted, paths): searched first. */
  readonly names: readonly string[];
  readonly words: readonly string[];
}

const stop = new Set(
  `a about above actually after all also am an and any anyone are around as asks at be because been before being below between both but by call called calls can could code codebase
   defined definition did do does doing done down during each else every explain explanation file files find folder for from function functions get gets give go happen happens has have
   he help her here hers him his how i if implement implementation implemented implements in inside into is it its itself just kind let like line lines list located location look made make makes
   many mean me method methods more most much my need no not of off on once one only or other our out over part piece place please project repo repository responsible same say see she should show
   shown so some something still such tell than thank thanks that the their them then there these they thing things this those through to too under until up us use used uses using very want
   was way we were what whatever when where which while who whom whose why will with without work works would you your handle handled handles handling class classes module modules there's what's where's
   hello hi hey thanks ok yes change add write fix refactor rename remove delete create edit update new`.split(/\s+/),
);

/** Chinese words that are about asking, not about the code. Longest first. */
const asking =
  `请问一下|請問一下|能不能|可不可以|有没有|有沒有|是不是|为什么|為什麼|怎么样|怎麼樣|在哪里|在哪裡|在哪儿|哪里|哪裡|哪儿|哪个|哪個|哪些|什么|什麼|怎么|怎麼|如何|怎样|怎樣|请问|請問|告诉|告訴|帮我|幫我|解释|解釋|说明|說明|介绍|介紹|查找|寻找|尋找|找到|处理|處理|实现|實現|實作|定义|定義|负责|負責|代码|代碼|程式碼|程式|项目|項目|專案|仓库|倉庫|文件|檔案|函数|函數|函式|方法|模块|模組|部分|地方|位置|作用|用途|功能|这个|這個|那个|那個|这些|這些|我们|我們|你们|可以|需要|应该|應該|里面|裡面|进行|進行|使用|被|是|在|的|了|吗|嗎|呢|和|与|與|或|我|你|它|把|对|對|做|用|有|请|請|哪|里|裡|中|上|下|会|會|要|从|從|到|给|給|让|讓`.split(
    '|',
  );

/** Words that programs write in English, for questions asked in Chinese. */
const chinese: Record<string, string> = {
  登录: 'login',
  登錄: 'login',
  登入: 'login',
  登出: 'logout',
  注册: 'register',
  註冊: 'register',
  认证: 'auth',
  認證: 'auth',
  授权: 'auth',
  授權: 'auth',
  权限: 'permission',
  權限: 'permission',
  用户: 'user',
  使用者: 'user',
  密码: 'password',
  密碼: 'password',
  会话: 'session',
  會話: 'session',
  配置: 'config',
  設定: 'config',
  设置: 'setting',
  設置: 'setting',
  错误: 'error',
  錯誤: 'error',
  异常: 'error',
  例外: 'exception',
  日志: 'log',
  日誌: 'log',
  缓存: 'cache',
  快取: 'cache',
  緩存: 'cache',
  数据库: 'database',
  資料庫: 'database',
  數據庫: 'database',
  数据: 'data',
  資料: 'data',
  查询: 'query',
  查詢: 'query',
  路由: 'route',
  请求: 'request',
  請求: 'request',
  响应: 'response',
  回應: 'response',
  響應: 'response',
  解析: 'parse',
  序列化: 'serialize',
  验证: 'valid',
  驗證: 'valid',
  校验: 'valid',
  校驗: 'valid',
  加密: 'encrypt',
  解密: 'decrypt',
  上传: 'upload',
  上傳: 'upload',
  下载: 'download',
  下載: 'download',
  支付: 'payment',
  订单: 'order',
  訂單: 'order',
  邮件: 'mail',
  郵件: 'mail',
  消息: 'message',
  訊息: 'message',
  事件: 'event',
  工具: 'tool',
  模型: 'model',
  插件: 'plugin',
  外掛: 'plugin',
  命令: 'command',
  指令: 'command',
  参数: 'param',
  參數: 'param',
  选项: 'option',
  選項: 'option',
  线程: 'thread',
  執行緒: 'thread',
  任务: 'task',
  任務: 'task',
  队列: 'queue',
  佇列: 'queue',
  重试: 'retry',
  重試: 'retry',
  超时: 'timeout',
  逾時: 'timeout',
  超時: 'timeout',
  限流: 'rate',
  搜索: 'search',
  搜尋: 'search',
  排序: 'sort',
  分页: 'page',
  分頁: 'page',
  翻译: 'translat',
  翻譯: 'translat',
  语言: 'lang',
  語言: 'lang',
  主题: 'theme',
  主題: 'theme',
  组件: 'component',
  元件: 'component',
  接口: 'interface',
  介面: 'interface',
  启动: 'start',
  啟動: 'start',
  入口: 'main',
  测试: 'test',
  測試: 'test',
  编译: 'compile',
  編譯: 'compile',
  版本: 'version',
  依赖: 'depend',
  相依: 'depend',
  流式: 'stream',
  串流: 'stream',
  记忆: 'memory',
  記憶: 'memory',
  压缩: 'compact',
  壓縮: 'compact',
  沙箱: 'sandbox',
};

/**
 * The terms of a question, most telling first. Two words that stand together (`queue key`) are a name as well, since
 * code writes them as one (`queueKey`).
 */
export function toTerms(question: string): Terms {
  const names = new Set<string>();
  for (const match of question.matchAll(/[`"“'「]([^`"”'」\n]{2,60})[`"”'」]/g)) {
    if (!/^\s|\s$/.test(match[1] ?? '')) names.add((match[1] ?? '').replace(/\(\)$/, ''));
  }
  for (const [word] of question.matchAll(/[A-Za-z_$][\w$]*(?:[./\\:-]+[\w$]+)*/g)) if (isName(word)) names.add(word);
  const inNames = [...names].join(' ');
  const words = new Set<string>();
  let before: { word: string; end: number } | undefined;
  for (const { 0: word, index } of question.matchAll(/[A-Za-z][A-Za-z0-9]+/g)) {
    const plain = word.toLowerCase();
    if (stop.has(plain) || inNames.includes(word)) {
      before = undefined;
      continue;
    }
    words.add(stem(plain));
    if (before && index === before.end + 1) names.add(`${before.word} ${stem(plain)}`);
    before = { word: stem(plain), end: index + word.length };
  }
  for (const run of question.match(/\p{Script=Han}+/gu) ?? []) for (const word of chineseWords(run)) words.add(word);
  const parts = [...names].flatMap(splitName).filter((part) => part.length > 2 && !stop.has(part));
  return { names: [...names].slice(0, 4), words: [...(words.size > 0 ? words : new Set(parts))].slice(0, 6) };
}

function isName(word: string): boolean {
  return (
    /[a-z][A-Z]|_|\$|[A-Z]{2}|[./\\:]|^\w+-\w/.test(word) &&
    !/^(?:e\.g|i\.e|etc)/.test(word) &&
    !stop.has(word.toLowerCase())
  );
}

/** `readFile` and `read_file` as `read`, `file`. */
export function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])/g, '$1$3 $2$4')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}

/** Without the endings that would hide a match: `parsing` finds `parse`, `errors` finds `error`. */
function stem(word: string): string {
  if (word.length < 5) return word;
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x)es$/, '')
    .replace(/([^s])s$/, '$1')
    .replace(/(.{3,}?)([bdgmnprt])\2(?:ing|ed)$/, '$1$2')
    .replace(/(.{3,})(?:ing|ed)$/, '$1');
}

function chineseWords(run: string): string[] {
  let rest = run;
  const found: string[] = [];
  for (const word of Object.keys(chinese).sort((a, b) => b.length - a.length)) {
    if (!rest.includes(word)) continue;
    rest = rest.replaceAll(word, ' ');
    found.push(word, chinese[word] ?? '');
  }
  for (const word of asking) rest = rest.replaceAll(word, ' ');
  return [...found, ...rest.split(' ').filter((word) => [...word].length > 1)];
}
