import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Creates a function that measures the heap in use after a full garbage collection, in bytes. */
export function heapMeter(): () => number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Growth from the first half of the measures to the second, in bytes for each step between the halves. */
export function growthPerStep(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  return (mean(values.slice(-half)) - mean(values.slice(0, half))) / (values.length - half);
}
