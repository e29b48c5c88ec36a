import { maxPendingBytes } from './input-limits.ts';
import type { Id } from './message.ts';

/** The unanswered requests of one client and their size. */
export interface PendingRequests {
  /** False, without adding, if the total would exceed the limit. */
  add(id: Id, bytes: number): boolean;
  /** Call it when the request has its answer or will get none. */
  remove(id: Id): void;
  /** Resolves once no request is pending. */
  whenEmpty(): Promise<void>;
}

/** Requests with the same id are removed together. `maxBytes` limits all of them. */
export function createPendingRequests(maxBytes: number = maxPendingBytes): PendingRequests {
  const bytesOf = new Map<Id, number>();
  const waiters: (() => void)[] = [];
  let total = 0;
  return {
    add: (id, bytes) => {
      if (total + bytes > maxBytes) return false;
      total += bytes;
      bytesOf.set(id, (bytesOf.get(id) ?? 0) + bytes);
      return true;
    },
    remove: (id) => {
      total -= bytesOf.get(id) ?? 0;
      bytesOf.delete(id);
      if (bytesOf.size === 0) for (const resolve of waiters.splice(0)) resolve();
    },
    whenEmpty: () => new Promise((resolve) => (bytesOf.size === 0 ? resolve() : waiters.push(resolve))),
  };
}
