import { createHash } from 'node:crypto';
import type { Operation } from '../contract/operation.ts';

const mostKept = 1_000;

/** Argument values that mean the same are written the same: key order and the case of emails do not matter. */
function canonical(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('@') ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, entry]) => [key, canonical(entry)]),
  );
}

/** Equal for equal calls. A hash, so that no personal data is kept for the sake of comparing. */
export function keyOfCall({ id }: Operation, input: object): string {
  return createHash('sha256')
    .update(`${id} ${JSON.stringify(canonical(input))}`)
    .digest('base64url');
}

/** Writes of unknown outcome, by key: equal ones are not sent again for a while, only looked for. */
export interface Quarantine {
  /** `isProof`: whether seeing the effect later would prove that this write had it. */
  add(key: string, isProof: boolean): void;
  release(key: string): void;
  /** Milliseconds until an equal call may be sent; 0 when it may now. */
  remaining(key: string): number;
  isProof(key: string): boolean;
}

export function createQuarantine(lastingMs: number, now: () => number = () => performance.now()): Quarantine {
  const kept = new Map<string, { until: number; isProof: boolean }>();
  return {
    add: (key, isProof) => {
      kept.delete(key);
      kept.set(key, { until: now() + lastingMs, isProof });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    },
    release: (key) => void kept.delete(key),
    remaining: (key) => Math.max(0, (kept.get(key)?.until ?? 0) - now()),
    isProof: (key) => kept.get(key)?.isProof === true,
  };
}
