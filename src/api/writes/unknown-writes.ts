import { createHash } from 'node:crypto';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/field-format.ts';
import type { SharedStore } from '../../shared/shared-store.ts';

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
  add(key: string, isProof: boolean): Promise<void>;
  release(key: string): Promise<void>;
  /** Milliseconds until an identical call may be sent; 0 if it may be sent now. */
  remaining(key: string): Promise<number>;
  isProof(key: string): Promise<boolean>;
}

/** With a store that replicas share, an identical call is held back on every replica. */
export function createUnknownWrites(ttlMs: number, store: SharedStore): UnknownWrites {
  const keyOf = (key: string) => `unknown ${key}`;
  return {
    // A store refuses a time of 0.
    add: async (key, isProof) => {
      if (ttlMs > 0) await store.set(keyOf(key), isProof ? 'proof' : 'no proof', ttlMs);
    },
    release: (key) => store.delete(keyOf(key)),
    remaining: async (key) => (await store.get(keyOf(key)))?.ttlMs ?? 0,
    isProof: async (key) => (await store.get(keyOf(key)))?.value === 'proof',
  };
}
