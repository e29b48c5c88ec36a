import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { type BuiltProgram, startProgram } from '../built-program.ts';
import { startFaultServer } from '../fault-server.ts';
import type { Size } from '../figure.ts';
import { quantile } from '../load/measures.ts';

export interface WaitingRun {
  readonly failures: string[];
  /** Times of a person's questions, in milliseconds, without a mirror and while one is filled. */
  readonly without: readonly number[];
  readonly filling: readonly number[];
  /** Requests of the filling. */
  readonly filled: number;
  /** Answers with 429. */
  readonly refused: number;
}

/** One question every two seconds: 30 of 54 requests a minute. The short form asks faster, and less than a minute. */
const trials: Record<Size, { questions: number; everyMs: number; mostSlower: number }> = {
  // A stall of the machine counts among so few. Waiting for the limit would take ten times as long.
  short: { questions: 10, everyMs: 600, mostSlower: 2 },
  whole: { questions: 150, everyMs: 2_000, mostSlower: 1.05 },
};
/** Milliseconds of each answer of the academy, about as long as over the internet. */
const latencyMs = 250;
/** More than can be filled meanwhile. */
const academySize = { students: 5_000, orders: 20_000 };

/** The built program, and the requests that it sends to an academy of its own with 60 requests a minute. */
async function startWith(mirror: string) {
  const academy = await startSandbox({ ...academySize, latencyMs, rateLimit: 60 });
  const faults = await startFaultServer(academy.url);
  const program = await startProgram({
    environment: { ACADEMY_BASE_URL: faults.url, ACADEMY_API_KEY: academy.apiKey, ACADEMY_MIRROR: mirror },
  });
  const close = async () => {
    await program.close();
    await faults.close();
    await academy.close();
  };
  return { program, log: faults.log, close };
}

/** Each question reads another page, so that it sends a request. */
async function timeQuestion(program: BuiltProgram, page: number): Promise<number> {
  const started = performance.now();
  await program.call('list_orders', { page, per_page: 1, status: 'all' });
  return performance.now() - started;
}

/** A person asks two programs the same questions in turns, one of which fills a mirror. */
export async function askWhileFilling(size: Size): Promise<WaitingRun> {
  const { questions, everyMs, mostSlower } = trials[size];
  const [plain, mirrored] = [await startWith('off'), await startWith('memory')];
  const [without, filling]: [number[], number[]] = [[], []];
  // The filling takes its whole share before the first question.
  await sleep(5_000);
  for (let page = 1; page <= questions; page += 1) {
    const next = sleep(everyMs);
    without.push(await timeQuestion(plain.program, page));
    filling.push(await timeQuestion(mirrored.program, page));
    await next;
  }
  const refused = [...plain.log, ...mirrored.log].filter(({ status }) => status === 429).length;
  const filled = mirrored.log.length - plain.log.length;
  const ratio = quantile(filling, 0.5) / quantile(without, 0.5);
  const failures = [
    ...(ratio > mostSlower ? [`a question took ${ratio.toFixed(2)} times as long while the mirror was filled`] : []),
    ...(refused > 0 ? [`${refused} requests were refused with 429`] : []),
    ...(filled < 10 ? [`the filling sent only ${filled} requests`] : []),
  ];
  await plain.close();
  await mirrored.close();
  return { failures, without, filling, filled, refused };
}
