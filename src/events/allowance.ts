import type { SharedStore } from '../shared/shared-store.ts';

/** Requests that checks of events may send. */
export interface Allowance {
  /** Milliseconds until the next request is allowed; 0 if one may be now. */
  waitMs(): number;
  /** Asks for a request before it is sent. False if none is left. */
  reserve(): Promise<boolean>;
  /** Counts a request. False if it is not allowed. */
  spend(): boolean;
}

/** Milliseconds. 1% longer than the minute of the API, which stamps a request after we send it. */
const windowMs = 60_600;
/** A request may wait for the limit before it is sent, so its place is kept for longer. */
const reservedMs = 3 * windowMs;
/** The part of the account's requests that checks may use. */
const part = 0.1;

type Limit = () => number | undefined;

function mostOf(limit: Limit): number {
  const perMinute = limit();
  return perMinute === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(perMinute * part));
}

/** At most a tenth of `limit` requests in any minute, and at least one. No bound without a limit. */
export function createAllowance(limit: Limit, now: () => number): Allowance {
  let sentAt: number[] = [];

  function waitMs(): number {
    sentAt = sentAt.filter((at) => at > now() - windowMs);
    // After the limit has fallen, several of the oldest requests must leave the window.
    const leaving = sentAt[sentAt.length - mostOf(limit)];
    return leaving === undefined ? 0 : leaving + windowMs - now() + 1;
  }

  return {
    waitMs,
    reserve: async () => waitMs() === 0,
    spend: () => {
      if (waitMs() > 0) return false;
      sentAt.push(now());
      return true;
    },
  };
}

/**
 * The same bound for all replicas together. Each request takes one of the places in `store`, which is free again a minute
 * after the request is sent. A retry has no place of its own, so it is not allowed. `pace` multiplies the minute: 1, or
 * less in tests.
 */
export function createSharedAllowance(limit: Limit, now: () => number, store: SharedStore, pace: number): Allowance {
  const own = createAllowance(limit, now);
  let reserved: { readonly place: string; readonly until: number } | undefined;
  let fullUntil = 0;

  async function findPlace(): Promise<string | undefined> {
    const places = Array.from({ length: mostOf(limit) }, (_, index) => `event check ${index}`);
    for (const place of places) if (await store.setIfAbsent(place, 'taken', reservedMs * pace)) return place;
    const taken = await Promise.all(places.map((place) => store.get(place)));
    fullUntil = now() + Math.min(...taken.map((found) => found?.ttlMs ?? 0)) / pace + 1;
    return undefined;
  }

  async function reserve(): Promise<boolean> {
    if (limit() === undefined) return true;
    const until = now() + reservedMs - windowMs;
    if (reserved !== undefined && reserved.until > now()) return true;
    const place = (await own.reserve()) ? await findPlace() : undefined;
    reserved = place === undefined ? undefined : { place, until };
    return reserved !== undefined;
  }

  function spend(): boolean {
    if (limit() === undefined) return true;
    if (reserved === undefined || !own.spend()) return false;
    void store.set(reserved.place, 'taken', windowMs * pace);
    reserved = undefined;
    return true;
  }

  return { waitMs: () => Math.max(own.waitMs(), fullUntil - now()), reserve, spend };
}
