import { createRandom } from '../seed/random.ts';

/**
 * What goes wrong with a request. `refused`: an error before anything is done. `cut`: it is done, and the
 * connection ends without an answer, so that the client cannot know.
 */
export type Fault = { kind: 'none' } | { kind: 'refused'; status: 500 | 503 } | { kind: 'cut' };

/** Draws a fault for one request after the other: `rate` of them fail, the same ones for the same seed. */
export function faultSource(rate: number, seed: number): () => Fault {
  const random = createRandom('faults', seed);
  return () => {
    const [whether, which] = [random.next(), random.next()];
    if (whether >= rate) return { kind: 'none' };
    if (which < 0.5) return { kind: 'cut' };
    return { kind: 'refused', status: which < 0.75 ? 500 : 503 };
  };
}
