/** The events of a log as a person reads a conversation. Pure. */
import { visibleName, visibleText } from '../../../lib/text/visible.ts';
import type { StoredEvent } from '../../../protocol/event.ts';
import { assistantText, contentText } from '../../../protocol/message.ts';
import { type Language, renderError, t } from '../../../services/i18n/translate.ts';
import { progressLines } from './progress.ts';

/** The lines of an event; none for what only the program needs. */
export function transcriptLines(event: StoredEvent, lang: Language): string[] {
  if (event.type === 'message' && event.message.role === 'user') {
    // What the harness told the model on its own is no part of the conversation.
    if (event.inbox === undefined) return [];
    return ['', `${t('you', lang)}: ${visibleText(contentText(event.message.parts))}`];
  }
  if (event.type === 'message' && event.message.role === 'assistant') {
    const text = assistantText(event.message).trim();
    return [...(text === '' ? [] : ['', visibleText(text)]), ...progressLines(event, lang)];
  }
  if (event.type === 'run-end' && event.stop !== 'completed') {
    return [
      t('cli.ended', lang, {
        stop: event.error ? visibleName(renderError(event.error, lang).message) : visibleName(event.stop),
      }),
    ];
  }
  return progressLines(event, lang);
}
