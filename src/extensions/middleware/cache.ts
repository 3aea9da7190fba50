/** Lets providers keep the prompt's head: marks and a key for their caches, and word of what spoiled them. */
import { canonicalJson, shortHash } from '../../lib/digest.ts';
import { defineMiddleware, type SessionView } from '../../protocol/define/middleware.ts';

/** Hashes of what a cache covers, by name of the section; `missed` until the price of the change is known. */
interface CacheState {
  readonly seen: Readonly<Record<string, string>>;
  readonly missed?: readonly string[];
}

export default defineMiddleware<CacheState>({
  name: 'cache',
  slot: 'cache',
  state: { parse: () => ({ seen: {} }) },
  beforeModel({ session, state }) {
    const seen = partsOf(session);
    const names = [...new Set([...Object.keys(state.seen), ...Object.keys(seen)])];
    const changed = names.filter((name) => seen[name] !== state.seen[name]);
    if (changed.length === 0) return undefined;
    const isFirst = Object.keys(state.seen).length === 0;
    return { state: isFirst ? { seen } : { seen, missed: changed } };
  },
  wrapModelCall: (request, next) => next(request.with({ cache: { key: request.session, marks: true } })),
  afterModel({ usage }, { state, emit }) {
    if (!state.missed) return undefined;
    const tokens = usage.input + usage.cacheWrite;
    for (const section of state.missed) emit({ type: 'cache-miss', section, tokens });
    return { state: { seen: state.seen } };
  },
});

type Prompt = NonNullable<SessionView['prompt']>;

const known = new WeakMap<Prompt['tools'], string>();

/** Looked at once for each list of tools, so that a turn costs nothing. */
function partsOf({ prompt, model }: SessionView): Readonly<Record<string, string>> {
  if (!prompt) return { model };
  const tools = known.get(prompt.tools) ?? shortHash(canonicalJson(prompt.tools));
  known.set(prompt.tools, tools);
  return { model, tools, ...Object.fromEntries(prompt.sections.map(({ name, hash }) => [name, hash])) };
}
