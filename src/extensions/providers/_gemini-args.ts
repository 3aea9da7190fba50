/** Arguments of a Gemini call that come in pieces, each with the path of the value it belongs to. */
import type { Json, JsonObject } from '../../protocol/json.ts';

export interface PartialArg {
  jsonPath?: string;
  stringValue?: string;
  numberValue?: number;
  boolValue?: boolean;
  nullValue?: Json;
  /** More of the same string follows. */
  willContinue?: boolean;
}

type Container = Record<string, Json> | Json[];

/** Arguments of a Gemini call that come in pieces, each with a JSONPath (`$.a.b[0]`) of its place. */
export class PartialArgs {
  readonly #root: Record<string, Json>;

  constructor(begun: JsonObject = {}) {
    this.#root = structuredClone(begun) as Record<string, Json>;
  }

  get value(): JsonObject {
    return this.#root;
  }

  /** Puts one piece in its place; pieces of a string are joined. False when there is no such place. */
  add(piece: PartialArg): boolean {
    const steps = parsePath(piece.jsonPath ?? '');
    if (!steps) return false;
    let place: Container = this.#root;
    for (const [index, step] of steps.slice(0, -1).entries()) {
      const next = child(place, step, typeof steps[index + 1] === 'number');
      if (!next) return false;
      place = next;
    }
    const last = steps.at(-1)!;
    if (!fits(place, last)) return false;
    const before = Object.hasOwn(place, last) ? (place as Record<string, Json>)[last] : undefined;
    const value = givenValue(piece);
    put(place, last, typeof value === 'string' && typeof before === 'string' ? before + value : value);
    return true;
  }
}

function givenValue({ stringValue, numberValue, boolValue }: PartialArg): Json {
  return stringValue ?? numberValue ?? boolValue ?? null;
}

function child(place: Container, step: string | number, isList: boolean): Container | undefined {
  if (!fits(place, step)) return undefined;
  if (!Object.hasOwn(place, step)) put(place, step, isList ? [] : {});
  const next = (place as Record<string | number, Json>)[step];
  return typeof next === 'object' && next !== null ? (next as Container) : undefined;
}

/** Lists grow by one at a time, so that no path can ask for a huge one. */
function fits(place: Container, step: string | number): boolean {
  return Array.isArray(place) ? typeof step === 'number' && step <= place.length : typeof step === 'string';
}

/** Defined rather than assigned: a field may be called `__proto__`. */
function put(place: Container, step: string | number, value: Json): void {
  Object.defineProperty(place, step, { value, enumerable: true, configurable: true, writable: true });
}

/** The steps of `$.list[0].name` or `$['a name']`; undefined for anything else. */
function parsePath(path: string): (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  const step = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;
  step.lastIndex = path.startsWith('$') ? 1 : Number.NaN;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (!found) return undefined;
    const [, name, index, single, double] = found;
    steps.push(index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index));
  }
  return steps.length > 0 ? steps : undefined;
}
