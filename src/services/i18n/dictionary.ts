/** The type of the dictionary. English is its source: a text missing in another language does not compile. */
import type en from './locales/en.ts';

export type Dictionary = typeof en;

type KeysOf<T> = {
  [K in keyof T & string]: T[K] extends string ? K : `${K}.${KeysOf<T[K]>}`;
}[keyof T & string];

/** A text by its path, such as `errors.E_USAGE.hint`. */
export type MessageKey = KeysOf<Dictionary>;

export type Params = Readonly<Record<string, unknown>>;
