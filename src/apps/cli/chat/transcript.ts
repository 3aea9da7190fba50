/** A run as it is read while it goes on: words as they come on standard output, all else beside it. */

import { shortForm } from '../../../lib/text/short-form.ts';
import type { ReinEvent } from '../../../protocol/event.ts';
import { assistantText, contentText, type Message } from '../../../protocol/message.ts';
import { type Language, t } from '../../../services/i18n/translate.ts';
import type { Cli } from '../cli.ts';
import { progressLines } from '../print/progress.ts';

/** How a conversation that goes on was left: its last prompt and the answer to it. */
export function lastWords(messages: readonly Message[], lang: Language): string[] {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const asked = messages[at];
  if (asked?.role !== 'user') return [];
  const answer = messages.slice(at + 1).findLast((message) => message.role === 'assistant');
  const lines = [`${t('you', lang)}: ${contentText(asked.parts)}`, answer ? assistantText(answer) : ''];
  return lines.filter((text) => text.trim() !== '').map((text) => shortForm(text, () => ' … ').text);
}

/** Shows a conversation while it happens: words as they come, a line for each call. */
export class LiveTranscript {
  readonly #cli: Cli;
  readonly #session: string;
  readonly #shows: boolean;
  /** What was shown of the message being written. */
  #shown = '';

  constructor(cli: Cli, session: string) {
    this.#cli = cli;
    this.#session = session;
    this.#shows = cli.options.verbose || cli.err.isTerminal;
  }

  see(event: ReinEvent): void {
    const own = event.session === this.#session;
    if (own && event.type === 'text-delta') {
      this.#cli.out.write(event.text);
      this.#shown += event.text;
      return;
    }
    if (own && event.type === 'message' && event.message.role === 'assistant') {
      const text = assistantText(event.message);
      if (this.#shown === '' && text.trim() !== '') this.#cli.out.write(text);
      this.#shown ||= text;
      this.endLine();
    }
    if (event.type === 'retry') this.endLine();
    if (event.type === 'warning') this.#cli.warn(event.warning);
    if (this.#shows) for (const line of progressLines(event, this.#cli.lang)) this.#cli.err.line(line);
  }

  /** Ends a line that was begun. */
  endLine(): void {
    if (this.#shown.trim() !== '' && !this.#shown.endsWith('\n')) this.#cli.out.write('\n');
    this.#shown = '';
  }
}
