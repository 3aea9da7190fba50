/** From the bytes of a page to text for a model. The libraries for HTML are loaded when there is any. */

/** Text by the charset that the header or the page names; UTF-8 otherwise. */
export function decodeText(body: Buffer, contentType: string, isHtml: boolean): string {
  const named = /charset\s*=\s*["']?([\w:.-]+)/i;
  const label =
    named.exec(contentType)?.[1] ?? (isHtml ? named.exec(body.toString('latin1', 0, 2048))?.[1] : undefined);
  try {
    return new TextDecoder(label ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** The part of the DOM that is used here. */
interface PageElement {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement> & { readonly length: number };
  closest(selector: string): PageElement | null;
  remove(): void;
}

interface PageDocument {
  readonly title: string;
  readonly body: PageElement;
}

export interface PageText {
  readonly text: string;
  readonly title?: string;
}

/** The main content of a page as Markdown; its words alone when the page defies reading. Never throws. */
export async function toMarkdown(html: string, url: string): Promise<PageText> {
  if (!isReadable(html)) return { text: wordsOf(html) };
  try {
    const [{ parseHTML }, { Readability }, { default: Turndown }] = await Promise.all([
      import('linkedom'),
      import('@mozilla/readability'),
      import('turndown'),
    ]);
    const parse = () => parseHTML(withRoot(html)).document as unknown as PageDocument;
    const page = parse();
    const title = (page.title || (/<title[^>]*>([^<]*)/i.exec(html)?.[1] ?? '')).trim();
    const whole = bodyOf(page);
    const article = new Readability(parse() as never).parse();
    const main = article?.content ?? '';
    // Readability takes pages that are no articles for empty, or for one paragraph of theirs.
    const isEnough = (article?.length ?? 0) > 250;
    const converted = createConverter(Turndown, url).turndown(main !== '' && isEnough ? main : whole.html);
    return { text: converted.trim() || whole.text, ...(title !== '' && { title }) };
  } catch {
    return { text: wordsOf(html) };
  }
}

function withRoot(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
}

/** Without what shows nothing. */
function bodyOf(page: PageDocument): { html: string; text: string } {
  const { body } = page;
  for (const element of body.querySelectorAll('title, script, style, noscript, template, svg, iframe, nav, footer'))
    element.remove();
  return { html: body.innerHTML, text: (body.textContent ?? '').replace(/\s+/g, ' ').trim() };
}

const hiddenWords = new Set(['script', 'style', 'template', 'noscript']);
/** Elements that have no end and so do not nest. */
const single = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|option|dt|dd)$/;
const maxDepth = 300;
const maxElements = 50_000;

/** Pages that no browser was meant to show would keep the libraries busy for minutes. Linear. */
function isReadable(html: string): boolean {
  let depth = 0;
  let elements = 0;
  for (const [, slash, name] of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)/gi)) {
    if (single.test(name!.toLowerCase())) elements++;
    else if (slash) depth = Math.max(0, depth - 1);
    else {
      depth++;
      elements++;
    }
    if (depth > maxDepth || elements > maxElements) return false;
  }
  return true;
}

/** The words of a page, read in one go. */
function wordsOf(html: string): string {
  let words = '';
  let hidden = '';
  let at = 0;
  for (const match of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)[^<>]*>?/gi)) {
    const name = match[2]!.toLowerCase();
    if (hidden === '') words += ` ${html.slice(at, match.index)}`;
    at = match.index + match[0].length;
    if (match[1] && name === hidden) hidden = '';
    else if (!match[1] && hidden === '' && hiddenWords.has(name)) hidden = name;
  }
  if (hidden === '') words += ` ${html.slice(at)}`;
  return words.replace(/\s+/g, ' ').trim();
}

function createConverter(Turndown: typeof import('turndown'), url: string) {
  const converter = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  });
  converter.remove(['script', 'style', 'noscript', 'template', 'iframe', 'form', 'button']);
  converter.addRule('link', {
    filter: (node) => node.nodeName === 'A' && Boolean(node.getAttribute('href')),
    replacement: (content, node) => {
      const href = (node as PageElement).getAttribute('href') ?? '';
      const target = URL.parse(href, url);
      const isShown =
        content.trim() !== '' && target && /^(https?|mailto):$/.test(target.protocol) && !href.startsWith('#');
      return isShown ? `[${content.trim().replace(/\s+/g, ' ')}](${target.href})` : content;
    },
  });
  converter.addRule('image', {
    filter: 'img',
    replacement: (_content, node) => {
      const { protocol, href } = URL.parse((node as PageElement).getAttribute('src') ?? '', url) ?? {
        protocol: '',
        href: '',
      };
      const alt = ((node as PageElement).getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
      if (!/^https?:$/.test(protocol)) return alt;
      return `![${alt}](${href})`;
    },
  });
  converter.addRule('cell', {
    filter: ['th', 'td'],
    replacement: (content) =>
      ` ${content
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|')} |`,
  });
  converter.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => {
      const isFirst = node === (node as PageElement).closest('table')?.querySelector('tr');
      const cells = (node as PageElement).querySelectorAll('th, td').length;
      return `\n|${content.trim()}${isFirst ? `\n|${' --- |'.repeat(cells)}` : ''}`;
    },
  });
  converter.addRule('table', {
    filter: ['table', 'thead', 'tbody', 'tfoot'],
    replacement: (content, node) => (node.nodeName === 'TABLE' ? `\n\n${content.trim()}\n\n` : content),
  });
  return converter;
}
