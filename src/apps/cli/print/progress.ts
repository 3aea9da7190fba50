/** Events as lines for a person who watches: what is called, what fails, what is tried again. Pure. */
import { shorten } from '../../../lib/text/truncate.ts';
import { visibleName } from '../../../lib/text/visible.ts';
import type { ReinEvent } from '../../../protocol/event.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { type ContentPart, contentText, toolCalls } from '../../../protocol/message.ts';
import { type Language, renderError, t } from '../../../services/i18n/translate.ts';

const longest = 120;

/** The lines an event brings; none for most. */
export function progressLines(event: ReinEvent, lang: Language): string[] {
  const who = event.agent === 'main' ? '' : `[${visibleName(event.agent.slice('main/'.length))}] `;
  switch (event.type) {
    case 'message':
      if (event.message.role !== 'assistant') return [];
      return toolCalls(event.message).map(({ name, input }) => `${who}· ${callLine(name, input)}`);
    case 'tool-call-end': {
      if (event.status === 'ok') return [];
      return [`${who}  ${t(`cli.status.${event.status}`, lang)}: ${firstLine(event.content)}`];
    }
    case 'retry': {
      const seconds = Math.max(1, Math.round(event.delayMs / 1000));
      return [who + t('cli.retry', lang, { message: renderError(event.error, lang).message, seconds })];
    }
    default:
      return [];
  }
}

/** A call on one line: its name and what it is about. */
function callLine(tool: string, input: JsonObject): string {
  const about = ['command', 'file_path', 'pattern', 'path', 'url', 'question', 'prompt', 'name', 'id']
    .map((field) => input[field])
    .find((value) => typeof value === 'string');
  const text = typeof about === 'string' ? about : Object.keys(input).length > 0 ? JSON.stringify(input) : '';
  return `${visibleName(tool)} ${shorten(visibleName(text), longest)}`.trim();
}

function firstLine(content: readonly ContentPart[]): string {
  const [line = ''] = contentText(content).trim().split('\n', 1);
  return shorten(visibleName(line), longest);
}
