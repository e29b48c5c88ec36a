import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ApiClient } from '../api/client.ts';
import { notingAge } from '../api/http/answer-facts.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Meter } from '../shared/metrics.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import type { Finding, ReceivedEvent } from './event.ts';
import type { EventInbox } from './event-feed.ts';
import { type Judge, type Lookup, lookupOf } from './lookup.ts';

interface EventChecksOptions {
  inbox: EventInbox;
  api: Pick<ApiClient, 'call' | 'budget'>;
  log: Logger;
  meter: Meter;
  signal: AbortSignal;
  /** Multiplies all pauses: 1, or less in tests. */
  pace?: number | undefined;
  /** Processes that serve this account; each checks its own events. Default 1. */
  replicas?: number | undefined;
}

const times = {
  /** A sender may be quicker than its own database, so a record that is not there is looked for again. */
  absent: 30_000,
  /** After a failure of the API, and between two reads of a whole list. */
  again: 5 * 60_000,
  /** After the arrival of an event in another process, which has not checked it since. It may have ended. */
  orphaned: 2 * 60_000,
  /** Between two looks for events that have become due. */
  idle: 1_000,
  /** 1% longer than the minute of the API, which stamps a request after we send it. */
  minute: 60_600,
};

/** The part of the account's requests that the checks of all replicas may use. */
const part = 0.1;
/** Events that are judged without a turn for other work. */
const atOnce = 10;

/** Errors that another try would not cure, so that the event stays unverified. */
const permanent: ReadonlySet<string> = new Set(['forbidden', 'invalid_input', 'invalid_fields', 'unprocessable']);
const refused: Finding = { state: 'not_verified', why: 'the API refuses to show it' };
const absent: Finding = { state: 'discarded', why: 'the API does not have it' };

const memory = { ttlMs: 60 * 60_000, maxEntries: 10_000 };

/** An event proves nothing, so the API is read, newest event first. Nine tenths of the requests are left to others. */
export function startEventChecks({ inbox, api, log, meter, signal, pace = 1, replicas = 1 }: EventChecksOptions): void {
  /** Of a lookup that is made again: when, and whether it found nothing the last time. */
  const again = createTtlCache<{ readonly dueAt: number; readonly wasMissing: boolean }>(memory);

  const isDue = ({ key }: Lookup) => (again.get(key)?.dueAt ?? 0) <= performance.now();
  const postpone = ({ key }: Lookup, milliseconds: number, wasMissing = false) =>
    again.set(key, { dueAt: performance.now() + milliseconds * pace, wasMissing });

  /** The newest event that can be checked now, with all that the same read checks. */
  function nextCheck(): { lookup: Lookup; events: ReceivedEvent[] } | undefined {
    const isOurs = (event: ReceivedEvent) =>
      inbox.isOwn(event) || Date.now() - event.receivedAt > times.orphaned * pace;
    const open = inbox.events().filter((event) => event.finding === undefined && isOurs(event));
    const newest = open.findLast((event) => isDue(lookupOf(event)));
    if (newest === undefined) return undefined;
    const lookup = lookupOf(newest);
    return { lookup, events: open.filter((event) => lookupOf(event).key === lookup.key) };
  }

  async function settle(events: readonly ReceivedEvent[], judge: Judge, checkedAt: number): Promise<void> {
    for (const [index, event] of events.entries()) {
      // Whoever knows the address can send many events that one read checks: others get their turn in between.
      if (index % atOnce === atOnce - 1) await nextTurn();
      const finding = judge(event);
      await inbox.settle(event, finding, checkedAt);
      meter.event(event.event, finding.state);
    }
  }

  /** What an error proves about the events. Throws it if that is nothing. */
  function findingOf({ key }: Lookup, error: unknown): Finding {
    const code = error instanceof AcademyError ? error.code : '';
    if (permanent.has(code)) return refused;
    if (code === 'not_found' && again.get(key)?.wasMissing === true) return absent;
    throw error;
  }

  /** Returns the number of requests. Never throws: what could not be checked now is checked later. */
  async function check(lookup: Lookup, events: readonly ReceivedEvent[]): Promise<number> {
    let requests = 0;
    const onRequest = () => {
      requests += 1;
    };
    const aging = notingAge(api);
    try {
      const startedAt = Date.now();
      const judge = await lookup.read(aging.api, { signal, priority: 'bulk', onRequest }).catch((error: unknown) => {
        const finding = findingOf(lookup, error);
        return () => finding;
      });
      await settle(events, judge, startedAt - aging.ageMs());
      postpone(lookup, lookup.isWholeList ? times.again : 0);
    } catch (error) {
      const isMissing = error instanceof AcademyError && error.code === 'not_found';
      postpone(lookup, isMissing ? times.absent : times.again, isMissing || again.get(lookup.key)?.wasMissing);
    }
    return requests;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const next = nextCheck();
      const requests = next && (await check(next.lookup, next.events));
      // So long after each request that it takes no more than its part of the limit.
      const { limit = Number.POSITIVE_INFINITY } = api.budget();
      const pause = requests === undefined ? times.idle : (requests * times.minute * replicas) / (limit * part);
      await delay(pause * pace, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  void run().catch((error: unknown) => log.error({ err: error }, 'the checks of events have ended'));
}
