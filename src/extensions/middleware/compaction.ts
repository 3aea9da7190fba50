/** Makes the history shorter before it no longer fits: cleans old arguments for free, then pays for a summary. */
import {
  defineMiddleware,
  type MiddlewareContext,
  type MiddlewareHost,
  type ModelResponse,
  type SessionView,
  type Step,
} from '../../protocol/define/middleware.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { StoredEventOf } from '../../protocol/event.ts';
import type { Message } from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import { type CompactionSettings, compactionSettings, isOver, keepTokens } from './_compaction-settings.ts';
import { answeredUpTo, boundary, type Cut, cutAt, cutFor } from './_cut.ts';
import { askForSummary, isOverflow, todoLines } from './_summary.ts';
import { headTokens, readTokens } from './_token-count.ts';

interface State {
  /** Summaries asked for in this run since the request last was short enough. */
  readonly tries: number;
  /** The provider said in this run that a request was too long, and a summary was made. */
  readonly overflowed: boolean;
  /** The same, and no summary could be had: the run ends. */
  readonly failed?: boolean;
  /** Messages at which old arguments are looked at next. */
  readonly nextClean?: number;
  readonly ratio: number;
}

type Context = MiddlewareContext<State>;

const maxTries = 3;
const cleanEvery = 30;
/** A compaction that saves less than this share of a request is not worth what it breaks. */
const worthwhile = 0.1;

/** The middleware; `config.compaction` says when it acts and what it keeps, sizes in tokens or shares of the window. */
export default function createCompaction({ config }: Pick<MiddlewareHost, 'config'>) {
  const settings = compactionSettings(config.compaction);
  const warned = new WeakSet<readonly Message[]>();

  return defineMiddleware<State>({
    name: 'compaction',
    slot: 'compaction',
    state: { parse: () => ({ tries: 0, overflowed: false, ratio: 1 }) },

    // A new prompt of the user may try again.
    beforeAgent: ({ state }) =>
      state.tries > 0 || state.overflowed
        ? { state: { ...state, tries: 0, overflowed: false, failed: false } }
        : undefined,

    beforeModel: (context) => cleanArguments(settings, context, sizeOf(context)),

    async wrapModelCall(request, next, context) {
      if (context.state.failed) throw cannot('noSummary');
      const pass = { settings, request, next, context, size: sizeOf(context, request) };
      const shorter = isOver(settings, pass.size) ? await shorten(pass, warned) : undefined;
      if (shorter) return context.restart(shorter);
      try {
        return await next(request);
      } catch (error) {
        if (!isOverflow(error)) throw error;
        return context.restart(await afterOverflow(pass, error));
      }
    },

    afterModel(_response, context) {
      const { state } = context;
      if (state.tries === 0 && !state.overflowed) return undefined;
      const tries = isOver(settings, sizeOf(context)) ? state.tries : 0;
      if (tries === state.tries && !state.overflowed) return undefined;
      return { state: { ...state, tries, overflowed: false } };
    },

    compact: (request, next, context) =>
      compactNow({ settings, request, next, context, size: sizeOf(context, request) }),
  });
}

function sizeOf({ session, state }: Context, request?: ModelRequest): Size & { readonly messages: number } {
  const { tokens, ratio } = readTokens(session, request ? headTokens(request) : 0, state.ratio);
  return { tokens, ratio, messages: session.messages.length, window: session.context.window };
}

/** A summary to start the call anew with; where none can help, says so once and the request goes as it is. */
async function shorten(pass: Pass, warned: WeakSet<readonly Message[]>): Promise<Step<State> | undefined> {
  const { context } = pass;
  const { session, state } = context;
  const plan = state.tries < maxTries ? proactivePlan(pass) : [];
  if (plan.length > 0) {
    await context.beforeCompaction('auto');
    return summarise(plan, pass);
  }
  if (!warned.has(session.messages)) {
    const error = cannot(state.tries < maxTries ? 'nothingToDrop' : 'noHelp');
    context.emit({ type: 'warning', warning: error.toData() });
  }
  warned.add(session.messages);
  return undefined;
}

/** Because a person asked. */
async function compactNow(pass: Pass): Promise<Step<State>> {
  const { settings, size, context } = pass;
  const cut = cutFor(context.session, keepTokens(settings, size.tokens, size.window));
  if (cut.saved === 0) throw cannot('nothingToDrop');
  await context.beforeCompaction('manual');
  const step = await summarise([{ cut }], pass);
  if (step.events.length === 0) throw cannot('noSummary');
  return step;
}

/** The reasons have their words in the dictionary. */
function cannot(reason: 'nothingToDrop' | 'noHelp' | 'noSummary' | 'stillTooLong', cause?: unknown): ReinError {
  return new ReinError('E_COMPACTION', { reason: { text: `compaction.${reason}` } }, cause);
}

/** One way to ask: the messages the model sees (all when absent), and what is kept if it answers. */
interface Attempt {
  readonly cut: Cut;
  readonly upTo?: number;
}

type Size = { readonly tokens: number; readonly ratio: number; readonly window?: number };

/** One pass of a request through this layer. */
interface Pass {
  readonly settings: CompactionSettings;
  readonly request: ModelRequest;
  readonly next: (request: ModelRequest) => Promise<ModelResponse>;
  readonly context: Context;
  readonly size: Size;
}

/** First everything as it was sent, which the cache holds; then less, where that is too long. */
function proactivePlan({ settings, context: { session }, size }: Pass): Attempt[] {
  const enough = ({ saved }: Cut) => saved * size.ratio >= size.tokens * worthwhile;
  const cut = [keepTokens(settings, size.tokens, size.window), 0].map((keep) => cutFor(session, keep)).find(enough);
  return cut ? [{ cut }, ...shorter(session, cut)] : [];
}

/** What the last answer was given to did fit. A summary of less keeps more, so that nothing is lost unseen. */
function shorter(session: SessionView, cut: Cut): Attempt[] {
  const { messages } = session;
  const fitted = answeredUpTo(messages);
  return [fitted, boundary(messages, fitted >> 1), boundary(messages, fitted >> 2)]
    .map((upTo) => ({ upTo, cut: upTo < cut.index ? cutAt(session, upTo) : cut }))
    .filter((attempt) => attempt.cut.saved > 0);
}

async function afterOverflow(pass: Pass, error: unknown): Promise<Step<State>> {
  const { settings, size } = pass;
  const { session, state } = pass.context;
  if (state.overflowed) throw cannot('stillTooLong', error);
  const keep = Math.min(keepTokens(settings, size.tokens, size.window), size.tokens / 10);
  const plan = shorter(session, cutFor(session, keep));
  if (plan.length === 0) throw cannot('nothingToDrop', error);
  await pass.context.beforeCompaction('auto');
  const step = await summarise(plan, pass);
  return { ...step, state: { ...step.state, overflowed: true, failed: !step.made } };
}

interface Summarised extends Step<State> {
  /** A summary among the events; the others say what was spent for nothing. */
  readonly made: boolean;
  readonly events: readonly StoredEventOf<'compaction'>[];
  readonly state: State;
}

/** Tries the attempts in order, as far as this run may still ask. */
async function summarise(plan: readonly Attempt[], { request, next, context, size }: Pass): Promise<Summarised> {
  const { session, state } = context;
  const blank: StoredEventOf<'compaction'>[] = [];
  const left = plan.slice(0, Math.max(1, maxTries - state.tries));
  for (const [index, { cut, upTo }] of left.entries()) {
    const asked = upTo === undefined ? request : request.with({ upTo });
    const summary = await askForSummary(asked, next);
    if (!summary) continue;
    const { text, ...spent } = summary;
    if (text === '') {
      blank.push({ type: 'compaction', kind: 'summary', keepFrom: 0, ...spent });
      continue;
    }
    const keepFrom = session.messageSeqs[cut.index]!;
    const event = { type: 'compaction', kind: 'summary', keepFrom, summary: text + todoLines(session.todos) } as const;
    return {
      made: true,
      events: [...blank, { ...event, ...spent }],
      state: { ratio: size.ratio, tries: state.tries + index + 1, overflowed: state.overflowed },
    };
  }
  return { made: false, events: blank, state: { ...state, tries: maxTries } };
}

/** The free part: long arguments of old calls, in batches, because each batch breaks the cached prefix once. */
function cleanArguments(
  settings: CompactionSettings,
  { session, state }: Context,
  size: Size,
): Step<State> | undefined {
  const { trigger, keep, maxLength } = settings.arguments;
  const { messages, messageSeqs } = session;
  if (messages.length < (state.nextClean ?? trigger)) return undefined;
  const later = { ...state, nextClean: messages.length + cleanEvery, ratio: size.ratio };
  const from = messages.length - keep;
  const keepFrom = messageSeqs[from] ?? 0;
  const saved = messages.slice(0, Math.max(0, from)).reduce((sum, message) => sum + excess(message, maxLength), 0) / 4;
  if (keepFrom === 0 || saved < size.tokens * worthwhile) return { state: later };
  return { events: [{ type: 'compaction', kind: 'arguments', keepFrom, maxLength }], state: later };
}

/** Characters of arguments that are longer than allowed. */
function excess(message: Message, maxLength: number): number {
  if (message.role !== 'assistant') return 0;
  let characters = 0;
  const visit = (value: unknown): void => {
    if (typeof value === 'string') characters += value.length > maxLength ? value.length : 0;
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  for (const part of message.parts) if (part.type === 'tool-call') visit(part.input);
  return characters;
}
