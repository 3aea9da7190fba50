/** Holds a conversation with a provider over a scripted model server. */
import type { AssistantMessage, Message, ToolMessage } from '../../../protocol/message.ts';
import { toolCalls, userText } from '../../../protocol/message.ts';
import type { ModelEvent, ModelStop, Provider } from '../../../protocol/define/provider.ts';
import { createRequest, type ModelRequest } from '../../../protocol/request.ts';
import type { JsonObject } from '../../../protocol/json.ts';

export async function collect(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  return await Array.fromAsync(stream);
}

/** Asks once with `messages` and appends the answer, and `ok` results for its calls. */
export async function takeTurn(
  provider: Provider,
  messages: Message[],
  fields: Partial<ModelRequest> & { model: string },
): Promise<ModelStop> {
  const request = createRequest({ session: 's', sections: [], tools: [], ...fields, messages });
  const out = await collect(provider.stream(request, new AbortController().signal));
  const parts = out.flatMap((event) => (event.type === 'part' ? [event.part] : []));
  const answer: AssistantMessage = { role: 'assistant', parts, model: `${provider.name}/${fields.model}` };
  messages.push(answer);
  const results = toolCalls(answer).map(({ id, name }) => ({
    callId: id,
    name,
    status: 'ok' as const,
    content: [{ type: 'text' as const, text: `result of ${id}` }],
  }));
  if (results.length > 0) messages.push({ role: 'tool', results } satisfies ToolMessage);
  const end = out.at(-1);
  return end?.type === 'end' ? end.stop : 'end';
}

/** An answer of the scripted model; declared here, as only tests may know the test kit. */
interface ScriptedAnswer {
  readonly text?: string | readonly string[];
  readonly reasoning?: string;
  readonly calls?: readonly { readonly name: string; readonly input: JsonObject }[];
}

/** A script of parallel calls with reasoning, a single call, and a text, over and over. */
export function longScript(turns: number): ScriptedAnswer[] {
  return Array.from({ length: turns }, (_, turn): ScriptedAnswer => {
    const call = (place: number) => ({ name: 'bash', input: { turn, place } });
    if (turn % 3 === 0) return { reasoning: `Thought ${turn}`, text: 'Both.', calls: [call(0), call(1), call(2)] };
    return turn % 3 === 1 ? { reasoning: `Thought ${turn}`, calls: [call(0)] } : { text: ['\n', `Text ${turn}`] };
  });
}

/** The user steers now and then, also in the middle of a tool loop. */
export function steer(messages: Message[], turn: number): void {
  if (turn % 3 === 0) messages.push(userText(`Next ${turn}`));
  if (turn % 4 === 1) messages.push(userText(`Steer ${turn}`), userText('please'));
}
