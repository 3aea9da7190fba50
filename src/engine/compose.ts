/** The middleware onion: one function made of many, the first outermost. */

export type Layer<In, Out> = (input: In, next: (input: In) => Promise<Out>) => Promise<Out>;

/** Wraps a core in layers. Costs nothing per layer that is not there. */
export function compose<In, Out>(
  layers: readonly Layer<In, Out>[],
  core: (input: In) => Promise<Out>,
): (input: In) => Promise<Out> {
  return layers.reduceRight<(input: In) => Promise<Out>>((next, layer) => (input) => layer(input, next), core);
}

/** The core as a function that runs once: a second call is a bug of the layer that makes it. */
export function once<In, Out>(core: (input: In) => Promise<Out>, problem: () => Error): (input: In) => Promise<Out> {
  let called = false;
  return (input) => {
    if (called) throw problem();
    called = true;
    return core(input);
  };
}
