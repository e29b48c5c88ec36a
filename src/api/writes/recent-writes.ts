import { createHash } from 'node:crypto';
import type { OldValues } from '../../contract/lookups.ts';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/input-fields.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import type { RecentGrant } from '../../insights/students/holdings.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import { meaningOf } from './verify.ts';

/** Longer than any call that looked before it writes. Milliseconds. */
const ttlMs = 3_600_000;

/** When a write of each key last ended, with any outcome, on any replica. What was read before may be out of date. */
export function createRecentWrites(store: SharedStore) {
  const keyOf = (key: string) => `ended ${key}`;
  return {
    add: (key: string): Promise<void> => store.set(keyOf(key), 'ended', ttlMs),
    /** `time`: milliseconds of this process's monotonic clock. */
    isSince: async (key: string, time: number): Promise<boolean> => {
      const found = await store.get(keyOf(key));
      return found !== undefined && performance.now() - (ttlMs - found.ttlMs) >= time;
    },
  };
}

const emailIn = (input: object) => ('email' in input ? String(input.email) : '');

const maxGrants = 6;

/** A grant this young may come from the same request; an older one does not. Milliseconds. */
export const recentMs = 10 * 60_000;

/**
 * The products that were given to each student in the last ten minutes, on any replica: a platform may show them late, and
 * a second grant is a second order. Each grant takes a place of its own, so that concurrent ones do not overwrite each other.
 */
export function createRecentGrants(store: SharedStore) {
  const places = (email: string) => {
    const key = createHash('sha256').update(buyerKey(email)).digest('base64url');
    return Array.from({ length: maxGrants }, (_, place) => `grant ${place} ${key}`);
  };

  async function add(email: string, ref: string): Promise<void> {
    for (const place of places(email)) if ((await store.setIfAbsent(place, ref, recentMs)) !== false) return;
  }

  async function forget(email: string, isTaken: (ref: string) => boolean): Promise<void> {
    for (const place of places(email)) {
      const found = await store.get(place);
      if (found !== undefined && isTaken(found.value)) await store.delete(place);
    }
  }

  return {
    /** Learns of a write that is about to be sent: what it takes away, with any outcome, may be granted again. */
    beforeWrite: async (operation: Operation, input: object): Promise<void> => {
      const { takes } = meaningOf(operation);
      if (takes !== undefined) await forget(emailIn(input), (ref) => takes(input, ref));
    },
    afterWrite: async (operation: Operation, input: object): Promise<void> => {
      for (const ref of meaningOf(operation).gives?.(input) ?? []) await add(emailIn(input), ref);
    },
    of: async (email: string): Promise<RecentGrant[]> => {
      const found = await Promise.all(places(email).map((place) => store.get(place)));
      return found.flatMap((one) => (one === undefined ? [] : [{ ref: one.value, agoMs: recentMs - one.ttlMs }]));
    },
  };
}

/** Case is ignored only in fields that the contract calls emails. Elsewhere it is part of the text. */
function canonical(operation: Operation, name: string, value: unknown): unknown {
  const isEmail = formatOf(argumentSchema(operation, name)) === 'email';
  return isEmail && typeof value === 'string' ? value.toLowerCase() : value;
}

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

interface UnknownWrite {
  /** Whether seeing the effect later proves that this write made it. */
  readonly isProof: boolean;
  /** Of a revocation: the orders that listed the product before. */
  readonly old?: OldValues | undefined;
}

export type UnknownWrites = ReturnType<typeof createUnknownWrites>;

/**
 * Writes of unknown outcome, by key. For a while, identical writes are not sent but only verified: on every replica, with a
 * store that they share.
 */
export function createUnknownWrites(ttlMs: number, store: SharedStore) {
  const keyOf = (key: string) => `unknown ${key}`;
  return {
    /** A store refuses a time of 0. */
    add: async (key: string, write: UnknownWrite): Promise<void> => {
      if (ttlMs > 0) await store.set(keyOf(key), JSON.stringify(write), ttlMs);
    },
    release: (key: string): Promise<void> => store.delete(keyOf(key)),
    /** Milliseconds until an identical call may be sent; 0 if it may be sent now. */
    remaining: async (key: string): Promise<number> => (await store.get(keyOf(key)))?.ttlMs ?? 0,
    find: async (key: string): Promise<UnknownWrite | undefined> => {
      const found = await store.get(keyOf(key));
      return found && (JSON.parse(found.value) as UnknownWrite);
    },
  };
}
