import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { quantile } from '../../bench/statistics.ts';
import { inScope } from '../../support/at-end.ts';
import { unlimited } from '../../support/connect.ts';
import { type Caller, createCaller } from '../../support/http-server.ts';
import { type HttpProgram, startHttpProgram } from '../../support/program.ts';
import { start } from '../../support/sandbox.ts';
import { startFaultServer } from '../fault-server.ts';
import { faultKinds } from '../faults.ts';
import type { Figure, Size } from '../figure.ts';

/** Node flags that let a signal collect the program's garbage. */
const collecting = ['--expose-gc', '--import', new URL('../places/collect.js', import.meta.url).href];

type Sample = Awaited<ReturnType<typeof sampleOf>>;

async function sampleOf(program: HttpProgram, requests: number) {
  process.kill(program.pid, 'SIGUSR2');
  await sleep(200);
  const metrics = await program.metrics();
  const read = (name: string) => metrics.get(name) ?? Number.NaN;
  return {
    requests,
    heap: read('nodejs_heap_size_used_bytes'),
    descriptors: read('process_open_fds'),
    handles: read('nodejs_active_handles_total'),
    sessions: read('academy_mcp_sessions'),
  };
}

/** Bytes of heap for each further request, by least squares. */
function slope(samples: readonly Sample[]): number {
  const mean = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, each) => sum + pick(each), 0) / samples.length;
  const x = mean(({ requests }) => requests);
  const y = mean(({ heap }) => heap);
  const covariance = samples.reduce((sum, { requests, heap }) => sum + (requests - x) * (heap - y), 0);
  const variance = samples.reduce((sum, { requests }) => sum + (requests - x) ** 2, 0);
  return variance === 0 ? 0 : covariance / variance;
}

const calls: Record<Size, number> = { short: 200, whole: 8_000 };
const orders: Record<Size, number> = { short: 500, whole: 2_000 };
const clients = 20;
const target = { perSecond: 400, p99: 150, heapPerRequest: 1_024 };

/** All clients use the same request ids. Each call asks for a different order, and must get that order. */
async function hold(stateless: boolean, size: Size) {
  const sandbox = await start({ students: 100, orders: orders[size] });
  const environment = unlimited(sandbox.url, sandbox.apiKey);
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
  return { rate, p99: quantile(times, 0.99), wrong, heapPerRequest: slope([before, after]) };
}

const round = (value: number) => Math.round(value).toLocaleString('en');

export const load: Figure = {
  id: 'F10',
  title: 'Sustained load over HTTP',
  target: `no wrong answer; at least ${target.perSecond} calls/s with a p99 below ${target.p99} ms; less than 1 KB of heap for each further call`,
  run: async (size) => {
    const held = [await inScope(() => hold(false, size)), await inScope(() => hold(true, size))];
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
      reached: size === 'short' || (isFast && isFlat),
      failures: wrong,
      zeros: [{ what: 'wrong or swapped answers', of: calls[size] * 2 }],
    };
  },
};

const lasts: Record<Size, number> = { short: 4_000, whole: 600_000 };
const soakers = 8;
/** Milliseconds between two calls of a client. */
const pause = 20;
const faultEvery: Record<Size, number> = { short: 400, whole: 5_000 };
const soakTarget = { heapPerRequest: 1_024, moreHandles: 10 };

/** Faults of one exchange. A 401 or 429 would pause all calls; other figures cover those. */
const passing = faultKinds.filter(
  ({ fault, name }) => fault !== undefined && fault.at !== 'reused' && !/^4(01|29)/.test(name),
);

type Session = Record<string, string>;

interface Hand {
  readonly caller: Caller;
  readonly id: number;
  readonly session: Session;
}

async function answered({ caller, id, session }: Hand, name: string, args: object): Promise<string | undefined> {
  const { status, message, text } = await caller.call(id, name, args, session);
  const isRight = status === 200 && message?.id === id && message.result !== undefined;
  return isRight ? undefined : `${name}: ${status} ${text.slice(0, 200)}`;
}

/** What a client may do next. None of it may affect later calls. */
const operations: ((hand: Hand) => Promise<string | undefined>)[] = [
  (hand) => answered(hand, 'list_students', { page: 1 + (hand.id % 3) }),
  (hand) => answered(hand, 'list_orders', { per_page: 10, page: 1 + (hand.id % 9) }),
  (hand) => answered(hand, 'update_channel', { id_or_slug: '1', description: `Version ${hand.id}` }),
  (hand) => answered(hand, 'get_course', { course_id: 'no number' }),
  async ({ caller, session }) => {
    const { status, text } = await caller.send('{"broken', session);
    return status === 400 && text.startsWith('{"jsonrpc"') ? undefined : `nonsense: ${status} ${text.slice(0, 200)}`;
  },
  async ({ caller, id, session }) => {
    await caller.call(id, 'list_courses', {}, session, AbortSignal.timeout(3)).catch(() => undefined);
    return undefined;
  },
];

interface Soak {
  readonly caller: Caller;
  readonly until: number;
  readonly wrong: string[];
  requests: number;
}

async function client(soak: Soak, seed: number): Promise<void> {
  const random = createRandom('soak', seed);
  let session = await soak.caller.open();
  for (let id = 1; performance.now() < soak.until; id += 1) {
    const problem = await random.pick(operations)({ caller: soak.caller, id, session });
    if (problem !== undefined) soak.wrong.push(problem);
    soak.requests += 1;
    if (id % 50 === 0) {
      await soak.caller.end(session);
      session = await soak.caller.open();
    }
    await sleep(pause);
  }
}

/** The program runs until the last sample is taken. */
async function sampleUntil(soak: Soak, program: HttpProgram, every: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (performance.now() < soak.until) {
    await sleep(every);
    samples.push(await sampleOf(program, soak.requests));
  }
  return samples;
}

async function soakFor(size: Size, seed: number) {
  const sandbox = await start({ students: 120, orders: 300 });
  const faults = await startFaultServer(sandbox.url);
  const environment = unlimited(faults.url, sandbox.apiKey, { ACADEMY_TIMEOUT_MS: '1000', LOG_LEVEL: 'error' });
  const program = await startHttpProgram({ environment, nodeFlags: collecting });
  const caller = createCaller(program.url, soakers);
  const soak: Soak = { caller, until: performance.now() + lasts[size], wrong: [], requests: 0 };
  const random = createRandom('soak faults', seed);
  let armed = 0;
  const arming = setInterval(() => {
    const { name, fault } = random.pick(passing);
    if (fault !== undefined) faults.arm({ name, fault, times: 1 });
    armed += 1;
  }, faultEvery[size]);
  const sampling = sampleUntil(soak, program, lasts[size] / 40);
  await Promise.all(Array.from({ length: soakers }, (_, index) => client(soak, seed * 100 + index)));
  clearInterval(arming);
  const samples = await sampling;
  const { code } = await program.end();
  return { ...soak, samples, faults: armed, code, lastWords: program.lastWords() };
}

function growth(samples: readonly Sample[]): string[] {
  const half = samples.slice(samples.length / 2);
  const [first] = half;
  const last = half.at(-1);
  if (first === undefined || last === undefined) return ['nothing was sampled'];
  const names = ['descriptors', 'handles'] as const;
  const grown = names.filter((name) => last[name] > first[name] + soakTarget.moreHandles);
  const isOver = last.sessions > soakers;
  return [
    ...grown.map((name) => `${name} grew from ${first[name]} to ${last[name]}`),
    ...(isOver ? [`${last.sessions} sessions of ${soakers} clients`] : []),
  ];
}

export const soak: Figure = {
  id: 'F12',
  title: 'Soak over HTTP',
  target:
    'no wrong answer; less than 1 KB of heap for each further request; constant descriptors, handles and sessions; a clean shutdown',
  run: async (size, seed) => {
    const { samples, wrong, requests, faults, code, lastWords } = await soakFor(size, seed);
    const bytes = slope(samples.slice(samples.length / 2));
    const problems = [...wrong, ...growth(samples)];
    if (code !== 0) problems.push(`it ended with code ${code}: ${lastWords}`);
    if (/unhandled|uncaught/i.test(lastWords)) problems.push(lastWords);
    const isFlat = bytes < soakTarget.heapPerRequest;
    const megabytes = samples.map(({ heap }) => heap / 2 ** 20);
    return {
      tried: `${requests.toLocaleString('en')} requests of ${soakers} clients over HTTP in ${lasts[size] / 1_000} s: reads, writes, refusals, nonsense, clients that disconnect, sessions that open and close; ${faults} faults between the server and its academy`,
      result: `${wrong.length} wrong answers; ${Math.round(bytes)} bytes of heap for each request of the second half, in use ${Math.min(...megabytes).toFixed(1)} to ${Math.max(...megabytes).toFixed(1)} MB`,
      // The first seconds only warm up: the short form does not judge the heap.
      reached: size === 'short' || isFlat,
      failures: problems,
      zeros: [{ what: 'wrong answers', of: requests }],
    };
  },
};
