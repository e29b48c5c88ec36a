import type { OldValues } from '../../contract/lookups.ts';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/input-fields.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import type { RecentGrant } from '../../insights/students/holdings.ts';
import { sha256 } from '../../shared/keyed-hash.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import { meaningOf } from './verify.ts';

const hashOf = (text: string) => sha256(text).toString('base64url');

/** The same key for calls with the same meaning. A hash, because no personal data is stored for comparisons. */
export function keyOfCall(operation: Operation, input: object): string {
  const fields = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]: [string, unknown]) => {
      // Case is ignored only in fields that the contract calls emails. Elsewhere it is part of the text.
      const isEmail = typeof value === 'string' && formatOf(argumentSchema(operation, name)) === 'email';
      return [name, isEmail ? value.toLowerCase() : value];
    });
  return hashOf(`${operation.id} ${JSON.stringify(fields)}`);
}

export interface UnknownWrite {
  /** Whether seeing the effect later proves that this write made it. */
  readonly isProof: boolean;
  /** Of a revocation: the orders that listed the product before. */
  readonly old?: OldValues | undefined;
  readonly ttlMs: number;
}

/** Longer than any call that looked before it writes. Milliseconds. */
const endedMs = 3_600_000;

/** Writes by the key of their call. `quarantineMs`: how long one of unknown outcome is only verified and not sent again. */
export function createWriteMemory(store: SharedStore, quarantineMs: number) {
  return {
    /** A write has ended, with any outcome: what was read before may be out of date. */
    noteEnd: (key: string): Promise<void> => store.set(`ended ${key}`, 'ended', endedMs),
    /** `time`: milliseconds of this process's monotonic clock. */
    hasEndedSince: async (key: string, time: number): Promise<boolean> => {
      const found = await store.get(`ended ${key}`);
      return found !== undefined && performance.now() - (endedMs - found.ttlMs) >= time;
    },
    /** A store refuses a time of 0. */
    noteUnknown: async (key: string, write: Omit<UnknownWrite, 'ttlMs'>): Promise<void> => {
      if (quarantineMs > 0) await store.set(`unknown ${key}`, JSON.stringify(write), quarantineMs);
    },
    findUnknown: async (key: string): Promise<UnknownWrite | undefined> => {
      const found = await store.get(`unknown ${key}`);
      return found && { ...(JSON.parse(found.value) as UnknownWrite), ttlMs: found.ttlMs };
    },
    forgetUnknown: (key: string): Promise<void> => store.delete(`unknown ${key}`),
  };
}

const maxGrants = 6;

/** A grant this young may come from the same request; an older one does not. Milliseconds. */
export const recentMs = 10 * 60_000;

const emailIn = (input: object) => ('email' in input ? String(input.email) : '');

/** What each student was given in the last ten minutes. Concurrent grants take a place each, so none is overwritten. */
export function createRecentGrants(store: SharedStore) {
  function places(email: string) {
    const key = hashOf(buyerKey(email));
    return Array.from({ length: maxGrants }, (_, index) => `grant ${index} ${key}`);
  }

  async function add(email: string, ref: string): Promise<void> {
    for (const key of places(email)) if ((await store.setIfAbsent(key, ref, recentMs)) !== false) return;
  }

  return {
    /** Learns of a write that is about to be sent: what it takes away, with any outcome, may be granted again. */
    beforeWrite: async (operation: Operation, input: object): Promise<void> => {
      const { takes } = meaningOf(operation);
      if (takes === undefined) return;
      for (const key of places(emailIn(input))) {
        const found = await store.get(key);
        if (found !== undefined && takes(input, found.value)) await store.delete(key);
      }
    },
    afterWrite: async (operation: Operation, input: object): Promise<void> => {
      for (const ref of meaningOf(operation).gives?.(input) ?? []) await add(emailIn(input), ref);
    },
    of: async (email: string): Promise<RecentGrant[]> => {
      const found = await Promise.all(places(email).map((key) => store.get(key)));
      return found.flatMap((one) => (one === undefined ? [] : [{ ref: one.value, agoMs: recentMs - one.ttlMs }]));
    },
  };
}
