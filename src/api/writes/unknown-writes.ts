import { createHash } from 'node:crypto';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/field-format.ts';
import { createTtlCache } from '../../shared/ttl-cache.ts';

const maxEntries = 1_000;

/** Case is ignored only in fields that the contract calls emails. Elsewhere it is part of the text. */
function canonical(operation: Operation, name: string, value: unknown): unknown {
  const isEmail = formatOf(argumentSchema(operation, name)) === 'email';
  return isEmail && typeof value === 'string' ? value.toLowerCase() : value;
}

/** The given arguments, in a fixed order and form. */
function canonicalInput(operation: Operation, input: object): [name: string, value: unknown][] {
  return Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => [name, canonical(operation, name, value)]);
}

/** The same key for calls with the same meaning. A hash, because no personal data is stored for comparisons. */
export function keyOfCall(operation: Operation, input: object): string {
  return createHash('sha256')
    .update(`${operation.id} ${JSON.stringify(canonicalInput(operation, input))}`)
    .digest('base64url');
}

/** Writes of unknown outcome, by key. For a while, identical writes are not sent but only verified. */
export interface UnknownWrites {
  /** `isProof`: whether seeing the effect later proves that this write made it. */
  add(key: string, isProof: boolean): void;
  release(key: string): void;
  /** Milliseconds until an identical call may be sent; 0 if it may be sent now. */
  remaining(key: string): number;
  isProof(key: string): boolean;
}

export function createUnknownWrites(ttlMs: number, now: () => number = () => performance.now()): UnknownWrites {
  const writes = createTtlCache<{ until: number; isProof: boolean }>({ ttlMs, maxEntries, now });
  return {
    add: (key, isProof) => writes.set(key, { until: now() + ttlMs, isProof }),
    release: writes.delete,
    remaining: (key) => Math.max(0, (writes.get(key)?.until ?? 0) - now()),
    isProof: (key) => writes.get(key)?.isProof === true,
  };
}
