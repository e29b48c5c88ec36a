import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { type Malformed, malformedInputs } from '../f3/malformed.ts';
import { type OverHttp, tryOverHttp } from '../f3/over-http.ts';
import { startTalk, type Talk } from '../f3/talk.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const right = [
  { id: 'ping', method: 'ping' },
  { id: 'list', method: 'tools/list', params: {} },
  { id: 'call', method: 'tools/call', params: { name: 'list_roles', arguments: { limit: 3 } } },
  {
    id: 'posts',
    method: 'tools/call',
    params: { name: 'search_products', arguments: { query: 'ünï', product_type: 'course' } },
  },
  {
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  },
  { method: 'notifications/cancelled', params: { requestId: 'none', reason: 'no reason' } },
].map((message) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));

type Change = (bytes: Buffer, random: Random) => Buffer;

const at = (bytes: Buffer, random: Random) => random.integer(0, Math.max(0, bytes.length - 1));

const flip: Change = (bytes, random) => {
  const changed = Buffer.from(bytes);
  const place = at(bytes, random);
  changed[place] = (changed[place] ?? 0) ^ (1 << random.integer(0, 7));
  return changed;
};

const cut: Change = (bytes, random) => {
  const from = at(bytes, random);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + random.integer(1, 12))]);
};

const double: Change = (bytes, random) => {
  const from = at(bytes, random);
  const part = bytes.subarray(from, from + random.integer(1, 30));
  return Buffer.concat([bytes.subarray(0, from), part, part, bytes.subarray(from + part.length)]);
};

const insert: Change = (bytes, random) => {
  const place = at(bytes, random);
  const added = Buffer.from(Array.from({ length: random.integer(1, 6) }, () => random.integer(0, 255)));
  return Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(place)]);
};

const token: Change = (bytes, random) => {
  const place = at(bytes, random);
  const added = random.pick(['null', '{}', '[]', '1e999', '"\\u0000"', '-', ',', ':', '}', ']', '"', '\\', '\n']);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(added), bytes.subarray(place)]);
};

const changes = [flip, cut, double, insert, token];

/** Valid messages with one to three changes to their bytes. */
function mutatedMessages(count: number, random: Random): Malformed[] {
  return Array.from({ length: count }, (_, number) => {
    let bytes: Buffer = random.pick(right);
    for (let left = random.integer(1, 3); left > 0; left -= 1) bytes = random.pick(changes)(bytes, random);
    return { name: `changed message ${number}: ${JSON.stringify(bytes.toString('latin1')).slice(0, 200)}`, bytes };
  });
}

/** Random inputs, besides the hand-written ones. The short form also leaves out the longest lines. */
const mutated: Record<Size, number> = { short: 12, whole: 1_000 };
const maxShort = 200_000;

/** Milliseconds after which a program without an answer counts as deaf. */
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

/** The problems after one input: the program ended, is deaf, wrote a wrong line to standard output, or answered the next call wrongly. */
async function problemsAfter(talk: Talk, { bytes, refused }: Malformed, number: number): Promise<string[]> {
  const id = `good ${number}`;
  await talk.write(Buffer.concat([bytes, Buffer.from('\n')]));
  await talk.write(line({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_roles', arguments: {} } }));
  const good = await talk.answerTo(id, patience);
  const problems = talk.wrongOutput();
  if (talk.ended() !== undefined)
    return [...problems, `the program ended with ${talk.ended()}: ${talk.stderr().slice(-300)}`];
  if (good === undefined) return [...problems, 'no answer to the next call'];
  if (good.error !== undefined || good.result?.isError) problems.push('the next call was answered with an error');
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
    // A problem here must not affect the next inputs.
    await talk.close();
    talk = startTalk(environment);
    run.restarts += 1;
    if (greeted) await greet(talk);
  }
  await talk.close();
  return run;
}

/** A line longer than the 10 MiB that the transport buffers ends the connection. The program must end with it. */
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
    code === undefined ? `the program keeps running, but no longer reads (${patience / 1000} s)` : `exit code ${code}`;
  return [...wrong, `a line of 11 MiB: ${what}`];
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 10, orders: 20 });
  const environment = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey, ACADEMY_RATE_LIMIT: 'off' };
  const byHand = malformedInputs().filter(({ bytes }) => size === 'whole' || bytes.length < maxShort);
  const cases = [...byHand, ...mutatedMessages(mutated[size], createRandom('f3', seed))];
  const greeted = await tryAll(cases, environment, true);
  // Some clients begin with garbage: the first bytes must not break the connection either.
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
    tried: `${inputs.toLocaleString('en')} malformed inputs to the built program over stdio, each followed by a valid call; then a line of 11 MiB; ${overHttp.tried.toLocaleString('en')} over HTTP, with and without sessions, and as raw bytes`,
    result: `${inputs - greeted.restarts - early.restarts} survived and followed by a successful call over stdio, ${overHttp.tried - overHttp.failures.length} over HTTP; a line of 11 MiB ${tooLong.length === 0 ? 'ends the program with code 0' : 'does not end it as it should'}`,
    reached: all.length === 0,
    details: [
      'written by hand and by rule: lines that are not JSON, invalid UTF-8, NUL, 100,000 levels, 9 MiB, wrong envelopes, ids, params, batches, notifications; random: valid messages with changed bytes',
      'a malformed request is refused with its id; if its id cannot be read, without one',
    ],
    failures: firstFailures(all.map((failure) => `seed ${seed}, ${failure}`)),
    zeros:
      failures.length > 0
        ? []
        : [
            {
              what: 'programs that ended, went deaf or wrote anything but messages to standard output after malformed input',
              of: inputs + overHttp.tried,
            },
          ],
  };
}

export const figure: Figure = {
  id: 'F3',
  title: 'Malformed protocol input',
  target:
    'after each input the program runs and the next call succeeds; standard output holds only messages; a line over 10 MiB ends the program cleanly',
  run,
};
