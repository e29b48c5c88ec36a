import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventNames } from '../../../src/contract/events.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { quantile } from '../../bench/statistics.ts';
import { freePort } from '../../support/free-port.ts';
import { listen } from '../../support/listen.ts';
import { postEvent, webhookSecret, webhooksTo } from '../../support/webhooks.ts';
import {
  type Connection,
  connectLegacy,
  connectModern,
  counted,
  createWatcher,
  identityOf,
  type Watcher,
} from '../f20/watcher.ts';
import { startFaultServer } from '../fault-server.ts';
import type { Figure, FigureResult, Size } from '../figure.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.ts';
import { maxInWindow } from '../load/model-server.ts';

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

interface ForgedTrial {
  events: number;
  /** Calls of a person before the forged events, and again while they arrive. */
  calls: number;
  /** How long the requests are counted, in milliseconds. */
  watchMs: number;
}

const mostPerMinute = 6;
const minute = 60_000;
const atOnce = 20;
/** Milliseconds of each answer of the academy, about as long as over the internet. */
const latencyMs = 250;
/** Of the median: a stall of the machine can hit any single call. */
const mostSlowdown = 2;

interface Row {
  check: string;
  untrusted?: object;
}

function factsIn(rows: readonly Row[]): string[] {
  return rows.flatMap(({ check, untrusted: _claims, ...rest }) => {
    const { event: _event, received_at: _at, why: _why, ...facts } = rest as Record<string, unknown>;
    const isFact = check === 'verified' || Object.keys(facts).length > 0;
    return isFact ? [`a forged event is shown as a fact: ${JSON.stringify(rest)}`] : [];
  });
}

/** Somebody who knows the addresses posts events that never happened. */
async function forge({ events, calls, watchMs }: ForgedTrial) {
  const academy = await startSandbox({ students: 40, orders: 80, latencyMs });
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
  await client.close();
  await program.close();
  await faults.close();
  await academy.close();
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

interface KillTrial {
  kills: number;
  /** Mean time between two kills, in milliseconds. */
  betweenMs: number;
  random: Random;
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
  const [expected, actual] = [counted(sent), counted(seen)];
  return [...expected].flatMap(([event, times]) => {
    const read = actual.get(event) ?? 0;
    return read === times ? [] : [`${name} read ${read} times, not ${times}: ${event.slice(0, 120)}`];
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

async function killWhileWatched({ kills, betweenMs, random }: KillTrial) {
  const folder = await mkdtemp(join(tmpdir(), 'academy-reliability-'));
  const [port, recorder] = [await freePort(), await startRecorder()];
  const academy = await startSandbox({
    students: 100,
    orders: 100,
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
  await academy.close();
  await program.close();
  await recorder.close();
  await rm(folder, { recursive: true });
  return { sent: sent.length, updates, failures };
}

async function startRecorder() {
  const bodies = new Map<string, string>();
  const { url, close } = await listen(async (request, response) => {
    const event = request.url?.slice(1) ?? '';
    const body = await text(request);
    bodies.set(`${event} ${body}`, identityOf(event, JSON.parse(body)));
    response.writeHead(204).end();
  });
  return {
    webhooks: eventNames.map((event) => ({ event, url: `${url}/${event}` })),
    sent: () => [...bodies.values()],
    close,
  };
}

const kills: Record<Size, { kills: number; betweenMs: number }> = {
  short: { kills: 1, betweenMs: 1_500 },
  whole: { kills: 20, betweenMs: 29_000 },
};
const forged: Record<Size, Parameters<typeof forge>[0]> = {
  short: { events: 60, calls: 4, watchMs: 1_000 },
  whole: { events: 1_000, calls: 30, watchMs: 150_000 },
};

const milliseconds = (times: readonly number[], share: number) => `${Math.round(quantile(times, share))} ms`;

async function run(size: Size, seed: number): Promise<FigureResult> {
  const watched = await killWhileWatched({ ...kills[size], random: createRandom('f20', seed) });
  const flood = await forge(forged[size]);
  const failures = [...watched.failures, ...flood.failures];
  return {
    tried: `the built program over HTTP, killed ${kills[size].kills} times with SIGKILL while an academy with 600 activities a minute sent ${watched.sent} events and a client of each era watched academy://events; then ${forged[size].events} forged events, 1,300 a minute, while a person made 40 calls a minute`,
    result: `${watched.failures.length} events lost or read twice; forged events: at most ${flood.maxPerMinute} API requests a minute, ${flood.facts} shown as facts, and a person's calls took ${milliseconds(flood.floodCalls, 0.5)} instead of ${milliseconds(flood.quietCalls, 0.5)} at the median`,
    details: [
      `${watched.updates} notifications; after each one, and after each restart, the client read the new events with new_cursor`,
      `forged events: ${flood.requests} API requests in all; deliveries were answered in ${milliseconds(flood.deliveries, 0.5)} at the median and ${milliseconds(flood.deliveries, 0.99)} at the 99th percentile`,
      `a person's calls, of which the academy took 250 ms: median ${milliseconds(flood.quietCalls, 0.5)}, slowest ${milliseconds(flood.quietCalls, 1)}; while forged events arrived, median ${milliseconds(flood.floodCalls, 0.5)}, slowest ${milliseconds(flood.floodCalls, 1)}`,
    ],
    failures,
    zeros: [{ what: 'events lost or read twice across kills', of: 2 * watched.sent }],
  };
}

export const figure: Figure = {
  id: 'F20',
  title: 'Events, across kills and forgeries',
  target:
    "every event reaches each watching client once; 1,000 forged events cost at most 6 API requests a minute, none is shown as a fact, and a person's calls take at most twice as long meanwhile at the median",
  run,
};
