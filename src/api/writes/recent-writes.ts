import { createHash } from 'node:crypto';
import { enrollStudent, revokeBundle, revokeCourse } from '../../contract/access.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import { productRef } from '../../insights/sales/product-ref.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import type { RecentGrant } from '../../insights/students/recent-grant.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import { recentMs } from './known-orders.ts';

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

type GrantInput = Partial<InputOf<typeof enrollStudent>>;

/** Most grants of one student that are remembered at a time. */
const maxGrants = 6;

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
    for (const place of places(email)) if (await store.setIfAbsent(place, ref, recentMs)) return;
  }

  async function forget(email: string, isTaken: (ref: string) => boolean): Promise<void> {
    for (const place of places(email)) {
      const found = await store.get(place);
      if (found !== undefined && isTaken(found.value)) await store.delete(place);
    }
  }

  return {
    /** Learns of a write that is about to be sent: what it takes away, with any outcome, may be granted again. */
    beforeWrite: async ({ id }: Operation, input: GrantInput): Promise<void> => {
      const { email = '', course_id = 0 } = input;
      if (id === revokeCourse.id) await forget(email, (ref) => ref === productRef('course', course_id));
      // What the bundle contains is not known.
      if (id === revokeBundle.id) await forget(email, () => true);
    },
    /** Learns of a write that was applied. */
    afterWrite: async ({ id }: Operation, { email = '', course_id, bundle_id }: GrantInput): Promise<void> => {
      if (id !== enrollStudent.id) return;
      if (course_id !== undefined) await add(email, productRef('course', course_id));
      if (bundle_id !== undefined) await add(email, productRef('bundle', bundle_id));
    },
    of: async (email: string): Promise<RecentGrant[]> => {
      const found = await Promise.all(places(email).map((place) => store.get(place)));
      return found.flatMap((one) => (one === undefined ? [] : [{ ref: one.value, agoMs: recentMs - one.ttlMs }]));
    },
  };
}
