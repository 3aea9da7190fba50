/** Freezes a value of plain objects and lists with all that is in it, and returns it. What is frozen already is left alone. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** The same list, growing with it, for those who may only read: whoever writes gets a TypeError. */
export function readOnlyView<T>(list: readonly T[]): readonly T[] {
  const refuse = () => {
    throw new TypeError('this list is stored and cannot be changed');
  };
  return new Proxy(list, {
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuse,
    preventExtensions: refuse,
  });
}
