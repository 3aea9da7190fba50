/** Extensions of one kind by name. */
export class Registry<T> {
  readonly #entries = new Map<string, T>();

  constructor(entries: Iterable<readonly [string, T]> = []) {
    for (const [name, entry] of entries) this.#entries.set(name, entry);
  }

  names(): string[] {
    return [...this.#entries.keys()].sort();
  }

  get(name: string): T | undefined {
    return this.#entries.get(name);
  }

  getAll(): ReadonlyMap<string, T> {
    return this.#entries;
  }
}
