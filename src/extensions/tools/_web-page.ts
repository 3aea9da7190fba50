/** A page for the model: public addresses only, each step checked, bounded in bytes, time and hops. */

import { imageTypeOf } from '../../lib/image-type.ts';
import { frame } from '../../lib/text/frame.ts';
import { keepStart } from '../../lib/text/truncate.ts';
import { visibleName } from '../../lib/text/visible.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { type ToolOutput, toolError } from '../../protocol/define/tool.ts';
import { AddressRefused, publicAddress, type Resolve, systemResolve } from './_web-addresses.ts';
import { type Dial, requestPage, type WebAnswer } from './_web-request.ts';
import { decodeText, toMarkdown } from './_web-text.ts';

export interface WebFetchOptions {
  readonly resolve?: Resolve;
  readonly dial?: Dial;
  readonly maxBytes?: number;
  readonly deadlineMs?: number;
}

const maxHops = 5;

/** What the model gets for an address; `limit` is how many bytes of text. Throws only the signal's reason. */
export async function fetchPage(
  text: string,
  { resolve = systemResolve, dial, maxBytes = 2_000_000, deadlineMs = 30_000 }: WebFetchOptions,
  { signal, limit }: { readonly signal: AbortSignal; readonly limit: number },
): Promise<ToolOutput> {
  const url = URL.parse(text);
  const problem = url ? refusalOf(url) : `${JSON.stringify(text)} is no address. Begin it with https://.`;
  if (!url || problem !== undefined) return toolError(problem ?? '');
  const deadline = AbortSignal.timeout(deadlineMs);
  const both = AbortSignal.any([signal, deadline]);
  const addressOf = (at: URL) => untilAborted(publicAddress(at.hostname, resolve), both);
  try {
    const page = await follow(url, {
      check: addressOf,
      get: async (at) => requestPage({ url: at, address: await addressOf(at), maxBytes, signal: both, dial }),
    });
    return 'problem' in page ? toolError(page.problem) : await present(page, limit, maxBytes);
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return toolError(`${shown(url)} did not answer within ${deadlineMs / 1000} seconds.`);
    if (error instanceof AddressRefused) {
      return toolError(
        `Refused: ${visibleName(error.message)} is no public address. Only pages of the public internet can be fetched.`,
      );
    }
    return toolError(`${shown(url)} could not be fetched: ${visibleName((error as Error).message)}.`);
  }
}

function refusalOf({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:')
    return `Refused: only http and https addresses can be fetched, not ${protocol}`;
  if (username !== '' || password !== '')
    return 'Refused: an address with a user name or password in it is not fetched.';
  return undefined;
}

function shown(url: URL): string {
  return visibleName(url.href);
}

interface Steps {
  /** Throws {@link AddressRefused}. */
  check(url: URL): Promise<unknown>;
  get(url: URL): Promise<WebAnswer>;
}

type Page = { readonly url: URL; readonly answer: WebAnswer } | { readonly problem: string };

/**
 * Follows redirects within one site. What leads elsewhere is named instead: permission was given for this host, and
 * the other one is checked, and asked for, when the model calls again.
 */
async function follow(start: URL, { check, get }: Steps): Promise<Page> {
  let url = start;
  for (let hop = 0; hop <= maxHops; hop++) {
    const answer = await get(url);
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.status) || typeof location !== 'string') return { url, answer };
    const next = URL.parse(location, url.href);
    if (!next) return { problem: `${shown(url)} redirects to ${JSON.stringify(location)}, which is no address.` };
    const refusal = refusalOf(next);
    if (refusal !== undefined) return { problem: `${shown(url)} redirects to ${shown(next)}. ${refusal}` };
    if (!isSameSite(url, next)) {
      await check(next);
      return {
        problem: `${shown(url)} redirects to another site: ${shown(next)}. Nothing was fetched from there. If you want it, call web_fetch with that address.`,
      };
    }
    url = next;
  }
  return { problem: `${shown(start)} redirects more than ${maxHops} times.` };
}

function isSameSite(from: URL, to: URL): boolean {
  const name = ({ hostname }: URL) => hostname.replace(/^www\./, '');
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return name(from) === name(to) && (isUpgrade || (from.protocol === to.protocol && from.port === to.port));
}

async function present(
  { url, answer }: Extract<Page, { url: URL }>,
  limit: number,
  maxBytes: number,
): Promise<ToolOutput> {
  const { status, headers, body, cut } = answer;
  const type = String(headers['content-type'] ?? '');
  const [media = ''] = type.toLowerCase().split(';', 1);
  const image = imageTypeOf(body.subarray(0, 64));
  if (image && !cut && status < 400) {
    return {
      content: [
        { type: 'text', text: `${shown(url)}:` },
        { type: 'image', mediaType: image, data: body.toString('base64') },
      ],
    };
  }
  if (image || !isText(media.trim(), body)) {
    return toolError(
      `${shown(url)} is no text (${visibleName(media) || 'unknown type'}, ${cut ? `over ${maxBytes}` : body.length} bytes). It cannot be shown.`,
    );
  }
  const isHtml =
    /html|xhtml/.test(media) || (media === '' && /^\s*<(!doctype html|html)/i.test(body.toString('latin1', 0, 200)));
  const text = decodeText(body, type, isHtml);
  const read = isHtml ? await toMarkdown(text, url.href) : { text };
  const { text: kept, dropped } = keepStart(read.text.trim(), limit);
  const notes = [
    dropped > 0 && `[cut: ${dropped} more bytes are left out]`,
    cut && `[cut: the page is larger than ${maxBytes} bytes, only its beginning was read]`,
  ].filter((note) => note !== false);
  const title: Record<string, string> = 'title' in read && read.title ? { title: read.title } : {};
  const shownText = frame('web_page', { url: url.href, ...title }, [kept || '(no text)', ...notes].join('\n'));
  if (status >= 400) return toolError(`${shown(url)} answered with status ${status}.\n${shownText}`);
  return { content: shownText };
}

function isText(media: string, body: Buffer): boolean {
  if (body.subarray(0, 8000).includes(0)) return false;
  return (
    media === '' ||
    /^text\/|[/+](json|xml|yaml|x-yaml|toml|javascript|ecmascript|typescript|x-ndjson|x-sh|sql|graphql)$/.test(media) ||
    /html/.test(media)
  );
}
