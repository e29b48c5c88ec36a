import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { type Malformed, malformedInputs } from '../f3/malformed.ts';
import { mutatedMessages } from '../f3/mutated.ts';
import { type OverHttp, tryOverHttp } from '../f3/over-http.ts';
import { startTalk, type Talk } from '../f3/talk.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

/** Besides those by hand. The short form also leaves out the longest lines. */
const mutated: Record<Size, number> = { short: 25, whole: 1_000 };
const maxShort = 200_000;

/** Milliseconds: whoever has not answered by then is deaf. */
const patience = 15_000;

const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'reliability', version: '1' } },
};

const line = (message: object) => `${JSON.stringify(message)}\n`;

async function greet(talk: Talk): Promise<void> {
  await talk.write(line(hello) + line({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  await talk.answerTo('hello', patience);
}

/** What is wrong after one input: dead, deaf, a wrong line on standard output, a wrong answer to what followed. */
async function problemsAfter(talk: Talk, { bytes, refused }: Malformed, number: number): Promise<string[]> {
  const id = `good ${number}`;
  await talk.write(Buffer.concat([bytes, Buffer.from('\n')]));
  await talk.write(line({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_roles', arguments: {} } }));
  const good = await talk.answerTo(id, patience);
  const problems = talk.wrongOutput();
  if (talk.ended() !== undefined)
    return [...problems, `the program ended with ${talk.ended()}: ${talk.stderr().slice(-300)}`];
  if (good === undefined) return [...problems, 'no answer to the next call'];
  if (good.error !== undefined || good.result?.isError)
    problems.push('an error in place of the answer to the next call');
  if (refused === undefined) return problems;
  const answer = await talk.answerTo(refused, patience);
  const isRefused = answer !== undefined && (answer.error !== undefined || answer.result?.isError === true);
  return isRefused
    ? problems
    : [...problems, answer === undefined ? 'it was never answered' : 'it was answered without an error'];
}

interface Run {
  readonly failures: string[];
  restarts: number;
}

async function tryAll(
  cases: readonly Malformed[],
  environment: Record<string, string>,
  greeted: boolean,
): Promise<Run> {
  const run: Run = { failures: [], restarts: 0 };
  let talk = startTalk(environment);
  if (greeted) await greet(talk);
  for (const [number, one] of cases.entries()) {
    const problems = await problemsAfter(talk, one, number);
    run.failures.push(...problems.map((problem) => `${greeted ? '' : 'before initialize, '}${one.name}: ${problem}`));
    if (problems.length === 0) continue;
    // What comes next shall not suffer from what went wrong here.
    await talk.close();
    talk = startTalk(environment);
    run.restarts += 1;
    if (greeted) await greet(talk);
  }
  await talk.close();
  return run;
}

/** The one line that ends the connection: longer than the 10 MiB that the transport keeps. The program must end with it. */
async function overlong(environment: Record<string, string>): Promise<string[]> {
  const talk = startTalk(environment);
  await greet(talk);
  await talk.write(Buffer.alloc(11 * 2 ** 20, 'a'));
  await talk.write('\n');
  for (const until = performance.now() + patience; talk.ended() === undefined && performance.now() < until; )
    await sleep(50);
  const code = talk.ended();
  const wrong = talk.wrongOutput();
  await talk.close();
  if (code === 0) return wrong;
  const what =
    code === undefined
      ? `the program lives on, and hears nothing any more (${patience / 1000} s)`
      : `exit code ${code}`;
  return [...wrong, `a line of 11 MiB: ${what}`];
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 10, orders: 20 });
  const environment = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey, ACADEMY_RATE_LIMIT: 'off' };
  const byHand = malformedInputs().filter(({ bytes }) => size === 'whole' || bytes.length < maxShort);
  const cases = [...byHand, ...mutatedMessages(mutated[size], createRandom('f3', seed))];
  const greeted = await tryAll(cases, environment, true);
  // Some clients begin with garbage: what comes first must not spoil the connection either.
  const early = byHand.filter((_, index) => size === 'whole' || index % 8 === 0);
  const ungreeted = await tryAll(early, environment, false);
  const tooLong = await overlong(environment);
  const overHttp = await tryOverHttp(cases, environment);
  await sandbox.close();
  return resultOf(cases.length + early.length, greeted, ungreeted, tooLong, overHttp, seed);
}

function resultOf(
  inputs: number,
  greeted: Run,
  early: Run,
  tooLong: string[],
  overHttp: OverHttp,
  seed: number,
): FigureResult {
  const failures = [...greeted.failures, ...early.failures, ...overHttp.failures];
  const all = [...failures, ...tooLong];
  return {
    tried: `${inputs.toLocaleString('en')} malformed inputs to the built program over stdio, each followed by a good call; then a line of 11 MiB; ${overHttp.tried.toLocaleString('en')} over HTTP, in sessions and without, and as bare bytes`,
    result: `${inputs - greeted.restarts - early.restarts} survived with a good next call over stdio, ${overHttp.tried - overHttp.failures.length} over HTTP; a line of 11 MiB ${tooLong.length === 0 ? 'ends the program with code 0' : 'does not end it as it should'}`,
    reached: all.length === 0,
    details: [
      'by hand and by rule: lines that are no JSON, bad UTF-8, NUL, 100,000 levels, 9 MiB, wrong envelopes, ids, params, batches, notifications; by chance: bytes of right messages changed',
      'a request that is no right message is refused by its id; what has no id that can be told, without one',
    ],
    failures: firstFailures(all.map((failure) => `seed ${seed}, ${failure}`)),
    zeros:
      failures.length > 0
        ? []
        : [
            {
              what: 'ends, deaf processes or other words on standard output after malformed input',
              of: inputs + overHttp.tried,
            },
          ],
  };
}

export const figure: Figure = {
  id: 'F3',
  title: 'Malformed protocol input',
  target:
    'alive and the next call good after each; only messages on standard output; a line over 10 MiB ends the program cleanly',
  run,
};
