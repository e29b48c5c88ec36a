import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { postEvent, webhookSecret } from '../../support/webhooks.ts';
import { startFaultServer } from '../fault-server.ts';
import { startHttpProgram } from '../http-program.ts';
import { maxInWindow, quantile } from '../load/measures.ts';
import { paceMs, timeCalls } from './person.ts';
import { connectLegacy } from './watcher.ts';

interface ForgedTrial {
  events: number;
  /** Calls of a person before the forged events, and again while they arrive. */
  calls: number;
  /** How long the requests are counted, in milliseconds. */
  watchMs: number;
}

export interface ForgedResult {
  readonly requests: number;
  /** Forged events that were shown as facts. */
  readonly facts: number;
  /** The most requests in any minute. */
  readonly maxPerMinute: number;
  /** Times of deliveries, in milliseconds. */
  readonly deliveries: readonly number[];
  /** Times of a person's calls, in milliseconds. */
  readonly quietCalls: readonly number[];
  readonly floodCalls: readonly number[];
  readonly failures: string[];
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
export async function forge({ events, calls, watchMs }: ForgedTrial): Promise<ForgedResult> {
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
