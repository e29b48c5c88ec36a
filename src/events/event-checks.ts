import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Api, CallOptions } from '../api/api.ts';
import type { ApiClient } from '../api/client.ts';
import { notingAge } from '../api/http/answer-facts.ts';
import { getCourseCompletion } from '../contract/courses.ts';
import { getOrder } from '../contract/orders.ts';
import { getStudentDetails, listAssignmentAnswers, listProjectPosts } from '../contract/students.ts';
import { buyerKey } from '../insights/sales/sold-order.ts';
import { cleanText } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Json } from '../shared/json.ts';
import type { Meter } from '../shared/metrics.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import { type Finding, type ReceivedEvent, trimmed } from './event.ts';
import type { EventInbox } from './event-feed.ts';

/** One read of the API that checks one or more events. */
interface Lookup {
  /** Events with the same key are checked by one read. */
  readonly key: string;
  /** The API sends the whole list: it is read less often. */
  readonly isWholeList?: true;
  read(api: Api, options: CallOptions): Promise<Judge>;
}

type Judge = (event: ReceivedEvent) => Finding;
type Claims = ReceivedEvent['claims'];

const notVerified = (why: string): Finding => ({ state: 'not_verified', why });
const verified = (facts: Json): Finding => ({ state: 'verified', facts: trimmed(facts) });

function isSameEmail(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && buyerKey(one) === buyerKey(other);
}

/** Characters of a text that are compared: claims are cut for storage, too. */
const maxCompared = 2_000;

const plainText = (text: unknown) =>
  typeof text === 'string' ? cleanText(text.slice(0, maxCompared)).replace(/\s+/g, ' ').trim() : undefined;

/** Whether a text begins like the one that a sender claims. A claim may have been cut. */
function isSameText(claimed: unknown, text: unknown): boolean {
  const [one, other] = [plainText(typeof claimed === 'string' ? claimed.replace(/…$/, '') : claimed), plainText(text)];
  return one !== undefined && other?.startsWith(one) === true;
}

function orderLookup({ id }: Claims): Lookup {
  const order_id = String(id);
  return {
    key: `order ${order_id}`,
    read: async (api, options) => {
      const order: Json = { ...(await api.call(getOrder, { order_id }, options)) };
      const isSame = String(order.id) === order_id;
      return () => (isSame ? verified(order) : notVerified('the API returned another order for this id'));
    },
  };
}

function judgeCompletion(percent: unknown, facts: Json): Finding {
  if (Number(percent) >= 100) return verified(facts);
  const isNumber = percent !== undefined && Number.isFinite(Number(percent));
  return notVerified(isNumber ? `the API shows ${percent} percent` : 'the API shows no completion');
}

function judgeStudent({ event, claims }: ReceivedEvent, student: Json): Finding {
  const { id, name, email, created_at, paying_student, total_completion, completion_percent } = student;
  if (!isSameEmail(email, claims.email)) return notVerified('the API returned a student with another email');
  if (claims.id !== undefined && id !== undefined && String(claims.id) !== String(id))
    return notVerified('the API shows another student id for this email');
  // The fields that an answer shows. Details have dozens more.
  const shown = { id, name, email, created_at, paying_student, total_completion, completion_percent };
  const facts = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined && value !== null));
  if (event !== 'student_completed') return verified(facts);
  return judgeCompletion(total_completion ?? completion_percent ?? undefined, facts);
}

function studentLookup({ email }: Claims): Lookup {
  const address = String(email);
  return {
    key: `student ${buyerKey(address)}`,
    read: async (api, options) => {
      const student: Json = { ...(await api.call(getStudentDetails, { email: address }, options)) };
      return (event) => judgeStudent(event, student);
    },
  };
}

function completionLookup({ email, course_id }: Claims): Lookup {
  const user_email = String(email);
  return {
    key: `completion ${course_id} ${buyerKey(user_email)}`,
    read: async (api, options) => {
      const answer = await api.call(getCourseCompletion, { course_id: Number(course_id), user_email }, options);
      const { id, name, email: shown = user_email, course_completion_percent: completion } = answer;
      return ({ claims }) =>
        isSameEmail(shown, claims.email)
          ? judgeCompletion(completion, { id, name, email: shown, course_id, completion })
          : notVerified('the API returned a student with another email');
    },
  };
}

const maxOfStudent = 200;

/** `field` identifies the record. A student can write it twice: `others` tell those apart, if their words agree. */
function findIn(items: readonly Json[], field: 'answer' | 'post', others: readonly string[]): Judge {
  const list = items.map((record) => ({ record, student: buyerKey(String(record.email)) }));
  return ({ claims }) => {
    const student = buyerKey(String(claims.email));
    const found = list
      .filter((one) => one.student === student)
      .slice(-maxOfStudent)
      .map(({ record }) => record)
      .filter((record) => isSameText(claims[field], record[field]));
    const sharedTexts = (record: Json) => others.filter((name) => isSameText(claims[name], record[name])).length;
    const length = (record: Json) => String(record[field]).length;
    const [closest] = found.sort((one, other) => sharedTexts(other) - sharedTexts(one) || length(one) - length(other));
    return closest === undefined ? notVerified('the list of the API does not show it') : verified(closest);
  };
}

const answersLookup: Lookup = {
  key: 'answers',
  isWholeList: true,
  read: async (api, options) => {
    const { items } = await api.call(listAssignmentAnswers, {}, options);
    return findIn(items, 'answer', ['lesson', 'question']);
  },
};

const postsLookup: Lookup = {
  key: 'project posts',
  isWholeList: true,
  read: async (api, options) => findIn((await api.call(listProjectPosts, {}, options)).items, 'post', []),
};

function lookupOf({ event, claims }: ReceivedEvent): Lookup {
  if (event === 'new_order') return orderLookup(claims);
  if (event === 'course_completed') return completionLookup(claims);
  if (event === 'new_answer') return answersLookup;
  return event === 'new_project_post' ? postsLookup : studentLookup(claims);
}

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

  const postpone = ({ key }: Lookup, milliseconds: number, wasMissing = false) =>
    again.set(key, { dueAt: performance.now() + milliseconds * pace, wasMissing });

  /** The newest event that can be checked now, with all that the same read checks. */
  function nextCheck(): { lookup: Lookup; events: ReceivedEvent[] } | undefined {
    const isOurs = (event: ReceivedEvent) =>
      inbox.isOwn(event) || Date.now() - event.receivedAt > times.orphaned * pace;
    const open = inbox.events().filter((event) => event.finding === undefined && isOurs(event));
    const newest = open.findLast((event) => (again.get(lookupOf(event).key)?.dueAt ?? 0) <= performance.now());
    if (newest === undefined) return undefined;
    const lookup = lookupOf(newest);
    return { lookup, events: open.filter((event) => lookupOf(event).key === lookup.key) };
  }

  async function settle(events: readonly ReceivedEvent[], judge: Judge, checkedAt: number): Promise<void> {
    for (const [index, event] of events.entries()) {
      // A sender that knows the address can send many events that one read checks: other events get their turn in between.
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
