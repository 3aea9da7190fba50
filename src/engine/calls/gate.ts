/** Holds calls back until all of their turn are judged, so that what they store goes into one append. */
export interface GateTicket {
  /** This call is judged and would start: resolves when all others are judged too and everything is stored. */
  arrive(record: () => void): Promise<void>;
  /** This call will not arrive any more. Means nothing after `arrive`. */
  leave(): void;
}

/** One ticket for each of `expected` calls. */
export function createGate(expected: number, flush: () => Promise<void>): () => GateTicket {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {
    // Seen by whoever arrives.
  });
  let missing = expected;
  return () => {
    let open = true;
    const leave = () => {
      if (!open) return;
      open = false;
      missing--;
      if (missing === 0) flush().then(resolve, reject);
    };
    return {
      arrive(record) {
        record();
        leave();
        return promise;
      },
      leave,
    };
  };
}
