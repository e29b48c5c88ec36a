import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import type { ToolAnswer } from '../../support/connect.ts';
import type { Figure, Size } from '../figure.ts';
import { scaledLatency } from '../load/model-server.ts';
import { defaultMaxWaitWindows, startScaledAccount } from '../load/scaled.ts';
import { realAllowance, startRealAccount } from '../load/trial.ts';

interface Bounds {
  /** Milliseconds that a call may wait in the queue. */
  readonly maxWaitMs: number;
  readonly windowMs: number;
}

interface Answered {
  readonly code: string;
  /** From the call to its answer, in milliseconds. */
  readonly tookMs: number;
  /** The seconds to wait that a refusal named. */
  readonly saidS: number | undefined;
}

/** Many calls in a few numbers: data kept for each call would count as heap growth. */
type Wave = Awaited<ReturnType<typeof wave>>;

function saidSeconds({ code, text }: ToolAnswer): number | undefined {
  const said = /in about (\d+) s/.exec(text)?.[1];
  return code === 'rate_limited' && said !== undefined ? Number(said) : undefined;
}

/** Additional to the maximum wait: the answer itself, and the work for a thousand calls. Milliseconds. */
const graceMs = 1_000;

/** A full queue of 100 may be in front of a refused call: less than two batches of tokens. */
const maxSaidMs = (windowMs: number) => 2 * 1.01 * windowMs + 1_000;

function isPlausible(saidS: number | undefined, { windowMs }: Bounds): boolean {
  return saidS !== undefined && saidS >= 1 && saidS * 1_000 <= maxSaidMs(windowMs);
}

function failuresOf(answers: readonly Answered[], bounds: Bounds): string[] {
  const others = answers.filter(({ code }) => code !== 'ok' && code !== 'rate_limited');
  const late = answers.filter(({ tookMs }) => tookMs > bounds.maxWaitMs + graceMs);
  const refused = answers.filter(({ code }) => code === 'rate_limited');
  const odd = refused.filter(({ saidS }) => !isPlausible(saidS, bounds));
  return [
    ...others.map(({ code }) => `a call was answered with ${code}`),
    ...late.map(({ tookMs }) => `a call waited ${Math.round(tookMs)} ms`),
    ...odd.map(({ saidS }) => `a refusal said ${saidS} s`),
  ];
}

function range(values: readonly number[]): [number, number] | undefined {
  return values.length === 0 ? undefined : [Math.min(...values), Math.max(...values)];
}

async function wave(
  call: (number: number) => Promise<ToolAnswer>,
  { first, count, bounds }: { first: number; count: number; bounds: Bounds },
) {
  const started = performance.now();
  const one = async (_: unknown, index: number): Promise<Answered> => {
    const answer = await call(first + index);
    return { code: answer.code, tookMs: performance.now() - started, saidS: saidSeconds(answer) };
  };
  const answers = await Promise.all(Array.from({ length: count }, one));
  return {
    calls: count,
    served: answers.filter(({ code }) => code === 'ok').length,
    maxMs: Math.max(...answers.map(({ tookMs }) => tookMs)),
    /** The shortest and the longest named wait, in seconds; undefined if no answer named one. */
    said: range(answers.flatMap(({ saidS }) => saidS ?? [])),
    failures: failuresOf(answers, bounds),
  };
}

function together(waves: readonly Wave[]): Wave {
  const sum = (of: (one: Wave) => number) => waves.reduce((total, one) => total + of(one), 0);
  return {
    calls: sum(({ calls }) => calls),
    served: sum(({ served }) => served),
    maxMs: Math.max(...waves.map(({ maxMs }) => maxMs)),
    said: range(waves.flatMap(({ said }) => said ?? [])),
    failures: waves.flatMap(({ failures }) => failures),
  };
}

function heapMeter(): () => number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Growth from the first half of the measures to the second, in bytes for each step between the halves. */
function growthPerStep(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  return (mean(values.slice(-half)) - mean(values.slice(0, half))) / (values.length - half);
}

const callers = 1_000;
const limit = 60;
const waves: Record<Size, number> = { short: 2, whole: 12 };
const windowMs: Record<Size, number> = { short: 2_000, whole: 4_000 };
/** Bytes of heap a call may leave behind: measurement noise, far below the size of a leaked call. */
const maxGrowth = 200;

type Part = Awaited<ReturnType<typeof real>>;

const boundsOf = (window: number) => ({ maxWaitMs: defaultMaxWaitWindows * window, windowMs: window });

async function scaled(size: Size, seed: number) {
  const random = createRandom('f11', seed);
  const own = { limit, windowMs: windowMs[size], latencyMs: scaledLatency(windowMs[size]), share: 0.9 };
  const { server, program } = await startScaledAccount({
    ...own,
    maxWaitWindows: defaultMaxWaitWindows,
    random,
  });
  const bounds = boundsOf(windowMs[size]);
  const heap = heapMeter();
  const heaps: number[] = [];
  const done: Wave[] = [];
  for (let number = 0; number < waves[size]; number += 1) {
    done.push(await wave(program.call, { first: 1 + number * callers, count: callers, bounds }));
    program.ended.clear();
    heaps.push(heap());
    await sleep(random.next() * 0.5 * windowMs[size]);
  }
  const after = await callAfter(done.at(-1), program.call);
  const all = together(done);
  const refused = server.log.filter(({ accepted }) => !accepted).length;
  // The first wave still warms up.
  const growth = growthPerStep(heaps.slice(1)) / callers;
  return { ...all, failures: [...all.failures, ...after], requests: server.log.length, refused, growth };
}

async function callAfter(last: Wave | undefined, call: (number: number) => Promise<ToolAnswer>): Promise<string[]> {
  await sleep((last?.said?.[1] ?? 0) * 1_000);
  const { code } = await call(waves.whole * callers + 1);
  return code === 'ok' ? [] : [`a call after the named wait was answered with ${code}`];
}

/** Sends the built program a thousand calls when its budget is complete, and again shortly before its tokens return. */
async function real() {
  const account = await startRealAccount({});
  const bounds = boundsOf(realAllowance.windowMs);
  const first = wave(account.call, { first: 1, count: callers, bounds });
  await sleep(22_000);
  const second = wave(account.call, { first: 1 + callers, count: callers, bounds });
  const all = together(await Promise.all([first, second]));
  const refused = account.log.filter(({ status }) => status === 429).length;
  return { ...all, requests: account.log.length, refused };
}

function sayPart(name: string, { calls, served, requests, said, maxMs }: Part): string {
  const told = said === undefined ? 'no others' : `the others were asked to retry after ${said[0]} to ${said[1]} s`;
  return `${name}: ${calls} calls, ${served} served by ${requests} requests, ${told}; longest wait ${(maxMs / 1_000).toFixed(1)} s`;
}

export const figure: Figure = {
  id: 'F11',
  title: '1,000 callers at once',
  target:
    'no call takes longer than the maximum wait plus 1 s; each returns a result, or rate_limited with the seconds to wait; 0 × 429; no memory growth',
  run: async (size, seed) => {
    const [short, long] = await Promise.all([scaled(size, seed), size === 'whole' ? real() : undefined]);
    const parts = long === undefined ? [short] : [short, long];
    const sum = (of: (part: Part) => number) => parts.reduce((total, part) => total + of(part), 0);
    const refused = sum((part) => part.refused);
    const isFlat = size === 'short' || short.growth < maxGrowth;
    const failures = [
      ...parts.flatMap((part) => part.failures),
      ...(refused > 0 ? [`${refused} requests were refused with 429`] : []),
      ...(isFlat ? [] : [`each call leaves ${Math.round(short.growth)} bytes of heap behind`]),
    ];
    const scaledName = `${waves[size]} waves, windows of ${windowMs[size] / 1000} s`;
    const growth =
      size === 'short' ? '' : `, heap growth of ${Math.round(short.growth)} bytes per call in the second half`;
    return {
      tried: `${sum(({ calls }) => calls)} calls, in bursts of 1,000, at 60 requests a window: in memory with scaled windows${long === undefined ? '' : ', and twice in real time by the built program over stdio'}`,
      result: `${failures.length === 0 ? 'all answered in time, with a result or the seconds to wait' : 'see below'}; ${refused} × 429${growth}`,
      details: [sayPart(scaledName, short), ...(long === undefined ? [] : [sayPart('real time', long)])],
      failures,
      zeros:
        refused === 0 ? [{ what: 'requests refused with 429 under overload', of: sum((part) => part.requests) }] : [],
    };
  },
};
