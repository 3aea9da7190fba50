/** OpenAI Responses, as the scripted model server reads and speaks it. */
import { isObject } from '../../lib/is-object.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Answer } from '../turn.ts';
import { responsesRules } from './responses-rules.ts';
import {
  type Block,
  dataUrlImage,
  type Entry,
  halves,
  listOf,
  objectsOf,
  type RequestView,
  sign,
  sse,
  textOf,
  type Wire,
} from './wire.ts';

export const responses: Wire = {
  name: 'responses',
  basePath: '/v1',
  matches: (path) => path.endsWith('/responses'),
  rules: responsesRules,
  read(body) {
    const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input);
    const entries = items.map((item): Entry => {
      return isObject(item) ? readItem(item) : { role: 'user', blocks: [{ kind: 'unknown', raw: item }] };
    });
    const instructions = textOf(body.instructions);
    const own: Block[] = instructions === '' ? [] : [{ kind: 'text', text: instructions, raw: instructions }];
    return {
      model: textOf(body.model),
      system: [...own, ...entries.filter((entry) => entry.role === 'system').flatMap((entry) => entry.blocks)],
      tools: objectsOf(body.tools).map((raw) => ({ name: textOf(raw.name), schema: raw.parameters ?? {}, raw })),
      entries: entries.filter((entry) => entry.role !== 'system'),
    };
  },
  events: answerEvents,
  errorBody: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code: null },
  }),
};

function readItem(item: JsonObject): Entry {
  if (item.type === 'reasoning') return { role: 'assistant', blocks: [{ kind: 'reasoning', raw: item }] };
  if (item.type === 'function_call') {
    const call = { id: textOf(item.call_id), name: textOf(item.name), input: item.arguments ?? null };
    return { role: 'assistant', blocks: [{ kind: 'call', ...call, raw: item }] };
  }
  if (item.type === 'function_call_output') {
    // A result may be an empty string; a blank text part it may not hold.
    const blank = typeof item.output === 'string' && item.output.trim() === '';
    const content = blank ? [] : readContent(item.output, 'user');
    return { role: 'tool', blocks: [{ kind: 'result', id: textOf(item.call_id), content, raw: item }] };
  }
  const role = item.role === 'developer' ? 'system' : item.role;
  if (
    (item.type === undefined || item.type === 'message') &&
    (role === 'system' || role === 'user' || role === 'assistant')
  ) {
    return { role, blocks: readContent(item.content, role) };
  }
  return { role: 'user', blocks: [{ kind: 'unknown', raw: item }] };
}

function readContent(content: Json | undefined, role: 'system' | 'user' | 'assistant'): Block[] {
  const textType = role === 'assistant' ? 'output_text' : 'input_text';
  if (typeof content === 'string') return [{ kind: 'text', text: content, raw: { type: textType, text: content } }];
  return listOf(content).map((raw): Block => {
    if (!isObject(raw)) return { kind: 'unknown', raw };
    if (raw.type === textType) return { kind: 'text', text: textOf(raw.text), raw };
    if (raw.type === 'refusal' && role === 'assistant') return { kind: 'text', text: textOf(raw.refusal), raw };
    return raw.type === 'input_image' && role === 'user' ? dataUrlImage(raw.image_url, raw) : { kind: 'unknown', raw };
  });
}

function answerEvents(answer: Answer, view: RequestView, body: JsonObject): string[] {
  const encrypted = listOf(body.include).includes('reasoning.encrypted_content');
  let sequence_number = 0;
  const event = (type: string, fields: JsonObject) =>
    sse({ type, sequence_number: sequence_number++, ...fields }, type);
  const shell = { id: 'resp_scripted', object: 'response', created_at: 1_700_000_000, model: view.model, error: null };
  const events = [
    event('response.created', { response: { ...shell, status: 'in_progress', output: [], usage: null } }),
  ];
  const output: JsonObject[] = [];

  const item = (opened: JsonObject, closed: JsonObject, inner: readonly [string, JsonObject][]) => {
    const output_index = output.length;
    const item_id = closed.id!;
    events.push(event('response.output_item.added', { output_index, item: opened }));
    for (const [type, fields] of inner) events.push(event(`response.${type}`, { item_id, output_index, ...fields }));
    events.push(event('response.output_item.done', { output_index, item: closed }));
    output.push(closed);
  };

  if (answer.reasoning !== '') {
    const opened = { type: 'reasoning', id: `rs_${itemId(view, output.length)}`, summary: [] };
    const part = { type: 'summary_text', text: answer.reasoning };
    const secret: JsonObject = encrypted ? { encrypted_content: sign(view.model, answer.reasoning) } : {};
    item(opened, { ...opened, ...secret, summary: [part] }, [
      ['reasoning_summary_part.added', { summary_index: 0, part: { ...part, text: '' } }],
      ...halves(answer.reasoning).map((delta): [string, JsonObject] => [
        'reasoning_summary_text.delta',
        { summary_index: 0, delta },
      ]),
      ['reasoning_summary_text.done', { summary_index: 0, text: answer.reasoning }],
      ['reasoning_summary_part.done', { summary_index: 0, part }],
    ]);
  }
  if (answer.text.length > 0) {
    const opened = { type: 'message', id: `msg_${itemId(view, output.length)}`, role: 'assistant' };
    const text = answer.text.join('');
    const part = { type: 'output_text', text, annotations: [] };
    item({ ...opened, status: 'in_progress', content: [] }, { ...opened, status: 'completed', content: [part] }, [
      ['content_part.added', { content_index: 0, part: { ...part, text: '' } }],
      ...answer.text.map((delta): [string, JsonObject] => ['output_text.delta', { content_index: 0, delta }]),
      ['output_text.done', { content_index: 0, text }],
      ['content_part.done', { content_index: 0, part }],
    ]);
  }
  for (const call of answer.calls) {
    const opened = {
      type: 'function_call',
      id: `fc_${itemId(view, output.length)}`,
      call_id: call.id,
      name: call.name,
    };
    const closed = { ...opened, status: 'completed', arguments: call.arguments };
    item({ ...opened, status: 'in_progress', arguments: '' }, closed, [
      ...halves(call.arguments).map((delta): [string, JsonObject] => ['function_call_arguments.delta', { delta }]),
      ['function_call_arguments.done', { arguments: call.arguments }],
    ]);
  }
  const reasons = { length: 'max_output_tokens', 'content-filter': 'content_filter' };
  const incomplete = answer.stop === 'length' || answer.stop === 'content-filter';
  const status = incomplete ? 'incomplete' : 'completed';
  const incomplete_details = incomplete ? { reason: reasons[answer.stop as keyof typeof reasons] } : null;
  events.push(
    event(`response.${status}`, { response: { ...shell, status, incomplete_details, output, usage: usageOf(answer) } }),
  );
  return events;
}

/** Unique in a conversation: counts the items before it. */
function itemId(view: RequestView, index: number): string {
  return `${view.entries.length}_${index}`;
}

function usageOf({ usage }: Answer): JsonObject {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + usage.output,
  };
}
