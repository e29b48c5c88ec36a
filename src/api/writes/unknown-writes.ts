import { createHash } from 'node:crypto';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/field-format.ts';
import { createTtlCache } from '../../shared/ttl-cache.ts';

const maxEntries = 1_000;

/** Only of a field that the contract calls an email does the case not matter: in a text it is what somebody wrote. */
function canonical(operation: Operation, name: string, value: unknown): unknown {
  const isEmail = formatOf(argumentSchema(operation, name)) === 'email';
  return isEmail && typeof value === 'string' ? value.toLowerCase() : value;
}

/** The arguments that were given, in one order and each written in one way. */
function canonicalInput(operation: Operation, input: object): [name: string, value: unknown][] {
  return Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => [name, canonical(operation, name, value)]);
}

/** The same for calls that mean the same. A hash, so that no personal data is kept for the sake of comparing. */
export function keyOfCall(operation: Operation, input: object): string {
  return createHash('sha256')
    .update(`${operation.id} ${JSON.stringify(canonicalInput(operation, input))}`)
    .digest('base64url');
}

/** Writes of unknown outcome, by key: equal ones are not sent again for a while, only looked for. */
export interface UnknownWrites {
  /** `isProof`: whether seeing the effect later would prove that this write had it. */
  add(key: string, isProof: boolean): void;
  release(key: string): void;
  /** Milliseconds until an equal call may be sent; 0 when it may now. */
  remaining(key: string): number;
  isProof(key: string): boolean;
}

export function createUnknownWrites(ttlMs: number, now: () => number = () => performance.now()): UnknownWrites {
  const kept = createTtlCache<{ until: number; isProof: boolean }>({ ttlMs, maxEntries, now });
  return {
    add: (key, isProof) => kept.set(key, { until: now() + ttlMs, isProof }),
    release: kept.drop,
    remaining: (key) => Math.max(0, (kept.get(key)?.until ?? 0) - now()),
    isProof: (key) => kept.get(key)?.isProof === true,
  };
}
