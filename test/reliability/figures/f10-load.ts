import { startSandbox } from '../../../src/sandbox/index.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';
import { createCaller } from '../http/caller.ts';
import { collecting, sampleOf, slope } from '../http/heap.ts';
import { startHttpProgram } from '../http-program.ts';

const calls: Record<Size, number> = { short: 200, whole: 8_000 };
const orders: Record<Size, number> = { short: 500, whole: 2_000 };
const clients = 20;
const target = { perSecond: 400, p99: 150, heapPerRequest: 1_024 };

interface Held {
  readonly rate: number;
  readonly p99: number;
  readonly heapPerRequest: number;
  readonly wrong: string[];
}

/** All clients use the same request ids. Each call asks for a different order, and must get that order. */
async function hold(stateless: boolean, size: Size): Promise<Held> {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 100, orders: orders[size] });
  const environment = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey, ACADEMY_RATE_LIMIT: 'off' };
  const flags = stateless ? ['--stateless'] : [];
  const program = await startHttpProgram({ environment, flags, nodeFlags: collecting });
  const caller = createCaller(program.url, clients);
  const ids = sandbox.academy.orders.all().map(({ id }) => id);
  const wrong: string[] = [];
  const times: number[] = [];
  let next = 0;

  async function client(session: Record<string, string>, until: number): Promise<void> {
    for (let id = 1; next < until; id += 1) {
      next += 1;
      const orderId = ids[next % ids.length] ?? '';
      const started = performance.now();
      const { message, text } = await caller.call(id, 'get_order', { order_id: orderId }, session);
      times.push(performance.now() - started);
      const isOwn = message?.id === id && message.result?.structuredContent?.id === orderId;
      if (!isOwn) wrong.push(`order ${orderId}, id ${id}: ${text.slice(0, 200)}`);
    }
  }

  const sessions = await Promise.all(
    Array.from({ length: clients }, async () => (stateless ? {} : await caller.open())),
  );
  const all = (until: number) => Promise.all(sessions.map((session) => client(session, until)));
  await all(calls[size] / 4);
  const before = await sampleOf(program, next);
  times.length = 0;
  const started = performance.now();
  await all(calls[size]);
  const rate = (times.length / (performance.now() - started)) * 1_000;
  const after = await sampleOf(program, next);
  await caller.close();
  await program.close();
  await sandbox.close();
  const p99 = [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN;
  return { rate, p99, wrong, heapPerRequest: slope([before, after]) };
}

const round = (value: number) => Math.round(value).toLocaleString('en');

async function run(size: Size): Promise<FigureResult> {
  const held = [await hold(false, size), await hold(true, size)];
  const wrong = held.flatMap((each) => each.wrong);
  const isFast = held.every(({ rate, p99 }) => rate >= target.perSecond && p99 < target.p99);
  const isFlat = held.every(({ heapPerRequest }) => heapPerRequest < target.heapPerRequest);
  const said = held.map(({ rate, p99, heapPerRequest }, index) => {
    const way = index === 0 ? 'in sessions' : 'without';
    return `${way} ${round(rate)} calls/s, p99 ${round(p99)} ms, ${round(heapPerRequest)} bytes of heap per call`;
  });
  return {
    tried: `${(calls[size] * 2).toLocaleString('en')} calls of get_order over HTTP by ${clients} clients with the same request ids, half with and half without sessions; client, server and academy share the cores; the first quarter warms up`,
    result: `${wrong.length} wrong or swapped answers; ${said.join('; ')}`,
    // The speed of a busy machine says nothing: the short form judges only the answers.
    reached: wrong.length === 0 && (size === 'short' || (isFast && isFlat)),
    failures: firstFailures(wrong),
    zeros: wrong.length > 0 ? [] : [{ what: 'wrong or swapped answers', of: calls[size] * 2 }],
  };
}

export const figure: Figure = {
  id: 'F10',
  title: 'Sustained load over HTTP',
  target: `no wrong answer; at least ${target.perSecond} calls/s with a p99 below ${target.p99} ms; less than 1 KB of heap for each further call`,
  run,
};
