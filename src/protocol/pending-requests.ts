import { maxPendingBytes } from './input-limits.ts';
import type { Id } from './message.ts';

/** The bytes of requests that have no answer yet. */
export interface PendingRequests {
  /** False where there would be too many. */
  begin(id: Id, bytes: number): boolean;
  /** The request has its answer, or will get none. */
  end(id: Id): void;
  /** Resolves as soon as no request waits. */
  empty(): Promise<void>;
}

/** Counts what one client keeps waiting. Several requests of one id end together. */
export function createPendingRequests(most: number = maxPendingBytes): PendingRequests {
  const bytesOf = new Map<Id, number>();
  const idle: (() => void)[] = [];
  let total = 0;
  return {
    begin: (id, bytes) => {
      if (total + bytes > most) return false;
      total += bytes;
      bytesOf.set(id, (bytesOf.get(id) ?? 0) + bytes);
      return true;
    },
    end: (id) => {
      total -= bytesOf.get(id) ?? 0;
      bytesOf.delete(id);
      if (bytesOf.size === 0) for (const resolve of idle.splice(0)) resolve();
    },
    empty: () => new Promise((resolve) => (bytesOf.size === 0 ? resolve() : idle.push(resolve))),
  };
}
