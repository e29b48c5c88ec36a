import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventNames } from '../../../src/contract/events.ts';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { quantile } from '../../bench/statistics.ts';
import { at } from '../../support/academy.ts';
import { inScope } from '../../support/at-end.ts';
import { type Era, eras } from '../../support/eras.ts';
import { postEvent, webhookSecret, webhooksTo } from '../../support/events.ts';
import { freePort } from '../../support/listen.ts';
import { type HttpProgram, startHttpProgram } from '../../support/program.ts';
import { startRecorder } from '../../support/recorder.ts';
import { start as startAcademy, temporaryFolder } from '../../support/sandbox.ts';
import { startFaultServer } from '../fault-server.ts';
import type { Figure, Size } from '../figure.ts';
import { maxInWindow } from '../load/model-server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that tell the events of a kind apart. An order has its id, and no other event has one of its own. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  new_order: ['id'],
  new_student: ['email'],
  student_completed: ['email'],
  course_completed: ['email', 'course_id'],
  new_answer: ['email', 'lesson', 'question', 'answer'],
  new_project_post: ['email', 'post'],
};

/** A text for each event, the same for what the academy sent and for what a client reads, verified or not. */
function identityOf(event: string, fields: Fields, untrusted: Fields = {}): string {
  const plain = (value: unknown) => String(value).replace(/\s+/g, ' ').trim().toLowerCase();
  return [event, ...(fieldsOf[event] ?? []).map((name) => plain(fields[name] ?? untrusted[name]))].join(' | ');
}

const uri = 'academy://events';

type Connection = Awaited<ReturnType<ReturnType<typeof connectWith>>>;

/** A client of this era, which the watcher itself closes. */
const connectWith = (era: Era) => async (url: string, onUpdate: () => void) => {
  const client = await era.connect({ url });
  await client.watch(uri, onUpdate);
  const call = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent, isError } = await client.call(name, args);
    if (isError || structuredContent === undefined) throw new Error(`${name} failed`);
    return structuredContent;
  };
  return { call, list: (args: Record<string, unknown>) => call('list_recent_events', args), close: client.close };
};

const connectLegacy = connectWith(at(eras, 0));
const connectModern = connectWith(at(eras, eras.length - 1));

/** A client that was asked to watch for events: it reads the new ones after each notification, and after each connection. */
type Watcher = ReturnType<typeof createWatcher>;

interface Row extends Record<string, unknown> {
  event: string;
  check: string;
  untrusted?: Record<string, unknown>;
  academy_text?: Record<string, unknown>;
}

function createWatcher(url: string, connectTo: ReturnType<typeof connectWith>) {
  const seen: string[] = [];
  let updates = 0;
  let cursor: unknown;
  let connection: Connection | undefined;
  let reading: Promise<void> = Promise.resolve();

  async function readNew(): Promise<void> {
    for (let isLast = false; !isLast && connection !== undefined; ) {
      const data = await connection.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      for (const row of (data.events ?? []) as Row[]) {
        seen.push(identityOf(row.event, row, { ...row.academy_text, ...row.untrusted }));
      }
      cursor = data.new_cursor;
      isLast = data.left === undefined;
    }
  }

  /** One read at a time. One that a kill interrupts is repeated after the next connection. */
  function read(): Promise<void> {
    reading = reading.then(readNew).catch(() => {});
    return reading;
  }

  async function disconnect(): Promise<void> {
    const old = connection;
    connection = undefined;
    await old?.close().catch(() => {});
    await reading;
  }

  return {
    seen,
    updates: () => updates,
    connect: async () => {
      await disconnect();
      connection = await connectTo(url, () => {
        updates += 1;
        void read();
      });
      await read();
    },
    close: disconnect,
  };
}

/** Milliseconds between two calls: with the checks of events, they fit into the limit of an account. */
const paceMs = 1_500;

/**
 * The times of the calls of a person, in milliseconds, one every 1.5 seconds. Each reads another page, so that each sends a
 * request to the API. `first`: the first page.
 */
async function timeCalls({ call }: Connection, calls: number, first: number): Promise<number[]> {
  const times: number[] = [];
  for (let page = first; page < first + calls; page += 1) {
    const started = performance.now();
    await call('list_orders', { page, per_page: 1, status: 'all' });
    const milliseconds = performance.now() - started;
    times.push(milliseconds);
    await sleep(Math.max(0, paceMs - milliseconds));
  }
  return times;
}

/**
 * `calls`: of a person before the forged events, and again while they arrive. `watchMs`: how long the requests are counted.
 * `betweenMs`: the mean time between two kills. Milliseconds.
 */
const trials = {
  short: { kills: 1, betweenMs: 1_500, events: 60, calls: 4, watchMs: 1_000 },
  whole: { kills: 20, betweenMs: 29_000, events: 1_000, calls: 30, watchMs: 150_000 },
};
type Trial = (typeof trials)[Size];

const mostPerMinute = 6;
const minute = 60_000;
const atOnce = 20;
/** Milliseconds of each answer of the academy, about as long as over the internet. */
const latencyMs = 250;
/** Of the median: a stall of the machine can hit any single call. */
const mostSlowdown = 2;

function factsIn(rows: readonly Row[]): string[] {
  return rows.flatMap(({ check, untrusted: _claims, ...rest }) => {
    const { event: _event, received_at: _at, why: _why, ...facts } = rest;
    const isFact = check === 'verified' || Object.keys(facts).length > 0;
    return isFact ? [`a forged event is shown as a fact: ${JSON.stringify(rest)}`] : [];
  });
}

/** Somebody who knows the addresses posts events that never happened. */
async function forge({ events, calls, watchMs }: Trial) {
  const academy = await startAcademy({ students: 40, orders: 80, latencyMs, rateLimit: 60 });
  const faults = await startFaultServer(academy.url);
  const program = await startHttpProgram({
    environment: {
      ACADEMY_BASE_URL: faults.url,
      ACADEMY_API_KEY: academy.apiKey,
      ACADEMY_WEBHOOK_SECRET: webhookSecret,
    },
  });
  const failures: string[] = [];
  const times: number[] = [];
  const origin = program.url.replace('/mcp', '');
  const post = async (number: number) => {
    const isOrder = number % 2 === 0;
    const body = { id: isOrder ? `forged${number}` : number, email: `forged${number}@example.net`, amount: '9.00' };
    const started = performance.now();
    const { status } = await postEvent(origin, isOrder ? 'new_order' : 'new_student', body);
    times.push(performance.now() - started);
    if (status !== 202) failures.push(`a delivery was answered with ${status}`);
  };
  /** As many deliveries in each second as it takes to last as long as the calls of the person. */
  const flood = async () => {
    const gapMs = (calls * paceMs * atOnce) / events;
    for (let sent = 0; sent < events; sent += atOnce) {
      const gap = sleep(gapMs);
      await Promise.all(Array.from({ length: atOnce }, (_, index) => post(sent + index)));
      await gap;
    }
  };
  const client = await connectLegacy(program.url, () => {});
  const quietCalls = await timeCalls(client, calls, 1);
  const [floodCalls] = await Promise.all([timeCalls(client, calls, calls + 1), flood()]);
  const [slow = 0, usual = 0] = [floodCalls, quietCalls].map((all) => Math.round(quantile(all, 0.5)));
  if (slow > mostSlowdown * usual) {
    failures.push(`a person's call took ${slow} ms while forged events arrived, and ${usual} ms before`);
  }
  await sleep(watchMs);
  const { events: rows = [] } = await client.list({ limit: 200 });
  const facts = factsIn(rows as Row[]);
  failures.push(...facts);
  // The person's requests name no forged record.
  const sentAt = faults.log.filter(({ path }) => path.includes('forged')).map(({ at }) => at);
  const maxPerMinute = maxInWindow(sentAt, minute);
  if (maxPerMinute > mostPerMinute) failures.push(`${maxPerMinute} requests in one minute`);
  if (sentAt.length === 0) failures.push('no event was checked');
  return {
    requests: sentAt.length,
    facts: facts.length,
    maxPerMinute,
    deliveries: times,
    quietCalls,
    floodCalls,
    failures,
  };
}

/** Things that happen in the academy in a minute. */
const activity = 600;
/** Longest time from the last event to its last reader, in milliseconds. */
const settleMs = 60_000;

async function kill(program: HttpProgram): Promise<void> {
  process.kill(program.pid, 'SIGKILL');
  while (program.isAlive()) await sleep(5);
}

function differences(name: string, sent: readonly string[], { seen }: Watcher): string[] {
  const times = (all: readonly string[], event: string) => all.filter((one) => one === event).length;
  return [...new Set(sent)].flatMap((event) => {
    const [wanted, read] = [times(sent, event), times(seen, event)];
    return read === wanted ? [] : [`${name} read ${read} times, not ${wanted}: ${event.slice(0, 120)}`];
  });
}

async function untilSeen(sent: readonly string[], watchers: readonly Watcher[]): Promise<void> {
  const until = performance.now() + settleMs;
  const isSeen = ({ seen }: Watcher) => {
    const known = new Set(seen);
    return sent.every((event) => known.has(event));
  };
  while (!watchers.every(isSeen) && performance.now() < until) await sleep(100);
}

async function killWhileWatched({ kills, betweenMs }: Trial, random: Random) {
  const [folder, port, recorder] = [await temporaryFolder(), await freePort(), await startEventRecorder()];
  const academy = await startAcademy({
    students: 100,
    orders: 100,
    rateLimit: 60,
    activity,
    webhookBackoffMs: 250,
    webhooks: [...webhooksTo(port), ...recorder.webhooks],
  });
  const environment = {
    ACADEMY_BASE_URL: academy.url,
    ACADEMY_API_KEY: academy.apiKey,
    ACADEMY_WEBHOOK_SECRET: webhookSecret,
    ACADEMY_EVENTS_FILE: join(folder, 'events.jsonl'),
  };
  const url = `http://127.0.0.1:${port}/mcp`;
  const watchers = [createWatcher(url, connectLegacy), createWatcher(url, connectModern)];
  const start = async () => {
    const program = await startHttpProgram({ environment, flags: ['--port', String(port)] });
    await Promise.all(watchers.map((watcher) => watcher.connect()));
    return program;
  };
  let program = await start();
  for (let number = 0; number < kills; number += 1) {
    await sleep(betweenMs * (0.5 + random.next()));
    await kill(program);
    program = await start();
  }
  await sleep(betweenMs);
  const sent = recorder.sent();
  await untilSeen(sent, watchers);
  const failures = watchers.flatMap((watcher, index) => differences(index === 0 ? 'legacy' : 'modern', sent, watcher));
  const updates = watchers.reduce((sum, watcher) => sum + watcher.updates(), 0);
  if (sent.length === 0) failures.push('the academy sent no events');
  if (watchers.some((watcher) => watcher.updates() === 0)) failures.push('a client was never notified');
  await Promise.all(watchers.map((watcher) => watcher.close()));
  return { sent: sent.length, updates, failures };
}

async function startEventRecorder() {
  const bodies = new Map<string, string>();
  const { url } = await startRecorder(({ path, raw, body }) => {
    const event = path.slice(1);
    bodies.set(`${event} ${raw}`, identityOf(event, Object(body)));
    return { status: 204 };
  });
  return {
    webhooks: eventNames.map((event) => ({ event, url: `${url}/${event}` })),
    sent: () => [...bodies.values()],
  };
}

const milliseconds = (times: readonly number[], share: number) => `${Math.round(quantile(times, share))} ms`;

export const figure: Figure = {
  id: 'F20',
  title: 'Events, across kills and forgeries',
  target:
    "every event reaches each watching client once; 1,000 forged events cost at most 6 API requests a minute, none is shown as a fact, and a person's calls take at most twice as long meanwhile at the median",
  run: async (size, seed) => {
    const watched = await inScope(() => killWhileWatched(trials[size], createRandom('f20', seed)));
    const flood = await inScope(() => forge(trials[size]));
    const failures = [...watched.failures, ...flood.failures];
    return {
      tried: `the built program over HTTP, killed ${trials[size].kills} times with SIGKILL while an academy with 600 activities a minute sent ${watched.sent} events and a client of each era watched academy://events; then ${trials[size].events} forged events, 1,300 a minute, while a person made 40 calls a minute`,
      result: `${watched.failures.length} events lost or read twice; forged events: at most ${flood.maxPerMinute} API requests a minute, ${flood.facts} shown as facts, and a person's calls took ${milliseconds(flood.floodCalls, 0.5)} instead of ${milliseconds(flood.quietCalls, 0.5)} at the median`,
      details: [
        `${watched.updates} notifications; after each one, and after each restart, the client read the new events with new_cursor`,
        `forged events: ${flood.requests} API requests in all; deliveries were answered in ${milliseconds(flood.deliveries, 0.5)} at the median and ${milliseconds(flood.deliveries, 0.99)} at the 99th percentile`,
        `a person's calls, of which the academy took 250 ms: median ${milliseconds(flood.quietCalls, 0.5)}, slowest ${milliseconds(flood.quietCalls, 1)}; while forged events arrived, median ${milliseconds(flood.floodCalls, 0.5)}, slowest ${milliseconds(flood.floodCalls, 1)}`,
      ],
      failures,
      zeros: [{ what: 'events lost or read twice across kills', of: 2 * watched.sent }],
    };
  },
};
