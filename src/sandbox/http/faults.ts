import { createRandom } from '../seed/random.ts';

/**
 * The injected fault of a request. `refused`: an error response before anything is done. `cut`: the work is done, then the
 * connection closes without a response, so the client cannot know.
 */
export type Fault = { kind: 'none' } | { kind: 'refused'; status: 500 | 503 } | { kind: 'cut' };

/** Draws a fault for each request. The share `rate` of them fails: the same ones for the same seed. */
export function faultSource(rate: number, seed: number): () => Fault {
  const random = createRandom('faults', seed);
  return () => {
    const [whether, which] = [random.next(), random.next()];
    if (whether >= rate) return { kind: 'none' };
    if (which < 0.5) return { kind: 'cut' };
    return { kind: 'refused', status: which < 0.75 ? 500 : 503 };
  };
}
