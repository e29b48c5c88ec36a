import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { postEvent, webhookSecret } from '../../support/webhooks.ts';
import { startFaultServer } from '../fault-server.ts';
import { startHttpProgram } from '../http-program.ts';
import { maxInWindow, quantile } from '../load/measures.ts';
import { connectLegacy } from './watcher.ts';

interface ForgedTrial {
  events: number;
  /** How long the requests are counted, in milliseconds. */
  watchMs: number;
}

export interface ForgedResult {
  readonly requests: number;
  /** The most requests in any minute. */
  readonly maxPerMinute: number;
  /** Median time of a delivery, in milliseconds. */
  readonly deliveryMs: number;
  readonly failures: string[];
}

const mostPerMinute = 6;
const minute = 60_000;
const atOnce = 20;

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
export async function forge({ events, watchMs }: ForgedTrial): Promise<ForgedResult> {
  const academy = await startSandbox({ students: 40, orders: 40 });
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
  for (let sent = 0; sent < events; sent += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => post(sent + index)));
  }
  await sleep(watchMs);
  const client = await connectLegacy(program.url, () => {});
  const { events: rows = [] } = await client.list({ limit: 200 });
  failures.push(...factsIn(rows as Row[]));
  const sentAt = faults.log.map(({ at }) => at);
  const maxPerMinute = maxInWindow(sentAt, minute);
  if (maxPerMinute > mostPerMinute) failures.push(`${maxPerMinute} requests in one minute`);
  if (sentAt.length === 0) failures.push('no event was checked');
  await client.close();
  await program.close();
  await faults.close();
  await academy.close();
  return { requests: sentAt.length, maxPerMinute, deliveryMs: quantile(times, 0.5), failures };
}
