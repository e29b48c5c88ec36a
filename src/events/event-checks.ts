import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Api, ApiClient } from '../api/api.ts';
import { notingAge } from '../api/http/answer-age.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Meter } from '../shared/metrics.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import { type Finding, type ReceivedEvent, stateOf } from './event.ts';
import type { EventInbox } from './event-inbox.ts';
import { type Lookup, lookupOf } from './lookup.ts';

/** An API that refuses writes: no event may cause one. */
function readOnlyApi(api: Api): Api {
  return {
    call: async (operation, input, options) => {
      if (operation.effect !== 'read') throw new Error(`an event must not cause the write ${operation.id}`);
      return await api.call(operation, input, options);
    },
  };
}

interface EventChecksOptions {
  inbox: EventInbox;
  api: Pick<ApiClient, 'call' | 'budget'>;
  log: Logger;
  meter: Meter;
  /** Ends the checks. */
  signal: AbortSignal;
  /** Multiplies all pauses: 1, or less in tests. */
  pace?: number | undefined;
  /** Processes that serve this account; each checks its own events. Default 1. */
  replicas?: number | undefined;
}

/** Times in milliseconds. */
const times = {
  /** A sender may be quicker than its own database, so a record that is not there is looked for again. */
  absent: 30_000,
  /** After the first failure of the API. Doubles with each further one, so that one event does not use up the allowance. */
  failed: 30_000,
  maxFailed: 60 * 60_000,
  /** Between two reads of a whole list. */
  wholeList: 5 * 60_000,
  /** After the arrival of an event in another process, which has not checked it since. It may have ended. */
  orphaned: 2 * 60_000,
  /** Between two looks for events that have become due. */
  idle: 1_000,
};

/** Events that are judged without a turn for other work. */
const atOnce = 10;

/** Milliseconds. 1% longer than the minute of the API, which stamps a request after we send it. */
const minuteMs = 60_600;
/** The part of the account's requests that the checks of all replicas may use. */
const part = 0.1;

/**
 * At most the given part of `limit` requests in any minute, and no bound without a limit. A part of less than one request
 * a minute is one request in a longer time.
 */
function createAllowance(limit: () => number | undefined, now: () => number, part: number) {
  let sentAt: number[] = [];

  function waitMs(): number {
    const perMinute = limit();
    if (perMinute === undefined) return 0;
    const windowMs = minuteMs * Math.max(1, 1 / (perMinute * part));
    sentAt = sentAt.filter((at) => at > now() - windowMs);
    // After the limit has fallen, several of the oldest requests must leave the window.
    const leaving = sentAt[sentAt.length - Math.max(1, Math.floor(perMinute * part))];
    return leaving === undefined ? 0 : leaving + windowMs - now() + 1;
  }

  return {
    /** Milliseconds until the next request is allowed; 0 if one may be now. */
    waitMs,
    /** Counts a request. False if it is not allowed. */
    spend: () => {
      if (waitMs() > 0) return false;
      sentAt.push(now());
      return true;
    },
  };
}

/** Errors that another try would not cure, so that the event stays unverified. */
const permanent: ReadonlySet<string> = new Set(['forbidden', 'invalid_input', 'invalid_fields', 'unprocessable']);
const refused: Finding = { state: 'not_verified', why: 'the API refuses to show it' };
const absent: Finding = { state: 'discarded', why: 'the API does not have it' };

/** What is known of a lookup: when it may be tried again, failures in a row, and whether it found nothing the last time. */
interface Tries {
  readonly dueAt: number;
  readonly failures: number;
  readonly wasMissing: boolean;
}

/** Of lookups that did not settle. Longer than any pause. */
const memory = { ttlMs: 2 * times.maxFailed, maxEntries: 10_000 };

function codeOf(error: unknown): string | undefined {
  return error instanceof AcademyError ? error.code : undefined;
}

/**
 * Re-reads the API for each event, the newest first: an event is only a hint, and proves nothing. Reads have the lowest
 * priority and use at most a tenth of the account's requests.
 */
export function startEventChecks({ inbox, api, log, meter, signal, pace = 1, replicas = 1 }: EventChecksOptions): void {
  const allowance = createAllowance(
    () => api.budget().limit,
    () => performance.now() / pace,
    part / replicas,
  );
  const reading = readOnlyApi(api);
  const tries = createTtlCache<Tries>(memory);
  let wake = () => {};

  const triesOf = ({ key }: Lookup) => tries.get(key) ?? { dueAt: 0, failures: 0, wasMissing: false };
  const isDue = (lookup: Lookup) => triesOf(lookup).dueAt <= performance.now();
  const postpone = (lookup: Lookup, milliseconds: number, { failures = 0, wasMissing = false }: Partial<Tries> = {}) =>
    tries.set(lookup.key, { dueAt: performance.now() + milliseconds * pace, failures, wasMissing });

  /** The newest event that can be checked now, with all that the same read checks. */
  function nextCheck(): { lookup: Lookup; events: ReceivedEvent[] } | undefined {
    const isOurs = ({ id, receivedAt }: ReceivedEvent) =>
      inbox.isOwn(id) || Date.now() - receivedAt > times.orphaned * pace;
    const open = inbox.events().filter((event) => stateOf(event) === 'not_read_yet' && isOurs(event));
    const newest = open.findLast((event) => isDue(lookupOf(event)));
    if (newest === undefined) return undefined;
    const lookup = lookupOf(newest);
    return { lookup, events: open.filter((event) => lookupOf(event).key === lookup.key) };
  }

  async function settle(
    events: readonly ReceivedEvent[],
    judge: (event: ReceivedEvent) => Finding,
    checkedAt: number,
  ): Promise<void> {
    for (const [index, event] of events.entries()) {
      // Whoever knows the address can send many events that one read checks: others get their turn in between.
      if (index % atOnce === atOnce - 1) await nextTurn();
      const finding = judge(event);
      await inbox.settle(event.id, { ...finding, checkedAt });
      meter.event(event.event, finding.state);
    }
  }

  async function read(lookup: Lookup, note: (ageMs: number) => void): Promise<(event: ReceivedEvent) => Finding> {
    const stop = new AbortController();
    // A retry counts too. One that is not allowed is not sent.
    const onRequest = () => {
      if (!allowance.spend()) stop.abort(new Error('no request is left for checks of events'));
    };
    const ended = AbortSignal.any([stop.signal, signal]);
    return await lookup.read(notingAge(reading, note), { signal: ended, priority: 'bulk', onRequest });
  }

  /** What an error proves about the events; undefined if nothing. */
  function findingOf(lookup: Lookup, code: string | undefined): Finding | undefined {
    if (code !== undefined && permanent.has(code)) return refused;
    return code === 'not_found' && triesOf(lookup).wasMissing ? absent : undefined;
  }

  /** Never throws: what could not be checked now is checked later. */
  async function check(lookup: Lookup, events: readonly ReceivedEvent[]): Promise<void> {
    try {
      const startedAt = Date.now();
      let oldest = 0;
      const note = (ageMs: number) => {
        oldest = Math.max(oldest, ageMs);
      };
      const judge = await read(lookup, note).catch((error: unknown) => {
        const finding = findingOf(lookup, codeOf(error));
        if (finding === undefined) throw error;
        return () => finding;
      });
      await settle(events, judge, startedAt - oldest);
      postpone(lookup, lookup.isWholeList ? times.wholeList : 0);
    } catch (error) {
      const { failures, wasMissing } = triesOf(lookup);
      if (codeOf(error) === 'not_found') return postpone(lookup, times.absent, { failures, wasMissing: true });
      const pauseMs = Math.min(times.failed * 2 ** failures, times.maxFailed);
      postpone(lookup, pauseMs, { failures: failures + 1, wasMissing });
    }
  }

  async function pause(milliseconds: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await Promise.race([woken, delay(milliseconds, undefined, { signal, ref: false }).catch(() => {})]);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const wait = allowance.waitMs() * pace;
      const next = wait > 0 ? undefined : nextCheck();
      if (next === undefined) await pause(Math.max(wait, times.idle * pace));
      else await check(next.lookup, next.events);
    }
  }

  inbox.onArrival(() => wake());
  void run().catch((error: unknown) => log.error({ err: error }, 'the checks of events have ended'));
}
