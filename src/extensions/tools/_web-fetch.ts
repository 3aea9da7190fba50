/** The tool; what it works with is loaded at its first call. */
import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool } from '../../protocol/define/tool.ts';
import type { WebFetchOptions } from './_web-page.ts';

/** The tool `web_fetch`; `options` put another resolver and connection in place for tests. */
export function createWebFetch(options: WebFetchOptions = {}) {
  return defineTool({
    name: 'web_fetch',
    description: 'Fetch a public web page by its http or https address. HTML comes back as Markdown.',
    input: inputSchema({ type: 'object', properties: { url: { type: 'string' } }, required: ['url'] }),
    risk: 'network',
    async execute({ url }, { signal, workspace }) {
      const { fetchPage } = await import('./_web-page.ts');
      return fetchPage(url, options, { signal, limit: workspace.limits.bytes });
    },
  });
}
