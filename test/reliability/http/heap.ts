import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpProgram } from '../http-program.ts';

/** Node flags that let a signal collect the program's garbage. */
export const collecting = ['--expose-gc', '--import', new URL('collect.js', import.meta.url).href];

export interface Sample {
  /** Requests answered so far. */
  readonly requests: number;
  readonly heap: number;
  readonly descriptors: number;
  readonly handles: number;
  readonly sessions: number;
}

export async function sampleOf(program: HttpProgram, requests: number): Promise<Sample> {
  process.kill(program.pid, 'SIGUSR2');
  await sleep(200);
  const metrics = await program.metrics();
  const read = (name: string) => metrics.get(name) ?? Number.NaN;
  return {
    requests,
    heap: read('nodejs_heap_size_used_bytes'),
    descriptors: read('process_open_fds'),
    handles: read('nodejs_active_handles_total'),
    sessions: read('academy_mcp_sessions'),
  };
}

/** Bytes of heap for each further request, by least squares. */
export function slope(samples: readonly Sample[]): number {
  const mean = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, each) => sum + pick(each), 0) / samples.length;
  const x = mean(({ requests }) => requests);
  const y = mean(({ heap }) => heap);
  const covariance = samples.reduce((sum, { requests, heap }) => sum + (requests - x) * (heap - y), 0);
  const variance = samples.reduce((sum, { requests }) => sum + (requests - x) ** 2, 0);
  return variance === 0 ? 0 : covariance / variance;
}
