import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { insist, repeatAfter, type Story } from '../f7/agent.ts';
import { type Judgement, judge } from '../f7/verdict.ts';
import { latest, startWeather, timeoutMs } from '../f7/weather.ts';
import { startFaultServer } from '../fault-server.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';
import { connectInMemory } from '../in-memory.ts';
import type { Academy, ToolOperation } from '../operation.ts';
import { writeMix } from '../operations/index.ts';

/** The factor of all waits of the program: it checks for an effect after 20, 50 and 150 ms instead of 2, 5 and 15 s. */
const pace = 0.01;
const quarantineMs = 120_000 * pace;
const chances = { write: 0.4, read: 0.1 };
const counts: Record<Size, { writes: number; lanes: number }> = {
  short: { writes: 60, lanes: 12 },
  whole: { writes: 1_000, lanes: 12 },
};
/** The short form allows more: 3% of 60 writes is less than two, which one seed in five misses by chance. */
const maxUnknown: Record<Size, number> = { short: 0.1, whole: 0.03 };
const controlWrites = 240;

/** Draws the order of the writes once for all lanes, so that only the seed decides it. */
function drawOperations(academy: Academy, random: Random, count: number): ToolOperation[] {
  const lots = writeMix.flatMap(({ weight, make }) => Array.from({ length: weight }, () => make));
  const used = new Set<object>();
  return Array.from({ length: count }, (_, index) => random.pick(lots)(academy, `f7-${index}`, used));
}

/** Adds a channel for each write that renames one: a later write to the same channel would hide an earlier one. */
function addChannels({ community }: Academy, count: number): void {
  for (let number = 0; number < count; number += 1) {
    const id = community.channels.nextId();
    const name = `Spare ${number}`;
    community.channels.add({
      id,
      slug: `spare-${number}`,
      name,
      description: null,
      group_id: null,
      locked: false,
      offer_ids: [],
    });
  }
}

/** One agent, with its own program and fault server, that does one write after the other. */
async function lane(
  { url, apiKey }: Sandbox,
  operations: readonly ToolOperation[],
  random: Random,
  guards: Record<string, string>,
): Promise<Story[]> {
  const server = await startFaultServer(url);
  const settings = {
    ACADEMY_BASE_URL: server.url,
    ACADEMY_API_KEY: apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_TIMEOUT_MS: String(timeoutMs),
    ...guards,
  };
  const program = await connectInMemory({ settings, app: { pace } });
  startWeather(server, random, chances);
  const stories: Story[] = [];
  for (const operation of operations) {
    const name = `${operation.tool} ${JSON.stringify(operation.args)}`;
    stories.push(await insist(program.call, operation, server, name, repeatAfter(quarantineMs)));
  }
  await sleep(timeoutMs + latest.most + 200);
  await program.close();
  await server.close();
  return stories;
}

const guarded = { ACADEMY_QUARANTINE_MS: String(quarantineMs) };
/** Shows whether the faults are bad enough to reveal a bug of the program. */
const unguarded = { ACADEMY_QUARANTINE_MS: '0', ACADEMY_PREFLIGHT: 'false' };

async function tell(writes: number, lanes: number, seed: number, guards: Record<string, string>): Promise<Story[]> {
  const sandbox = await startSandbox({ rateLimit: 'off', students: writes + 100, orders: 200, seed });
  addChannels(sandbox.academy, writes);
  const operations = drawOperations(sandbox.academy, createRandom('f7', seed), writes);
  const ofLane = (number: number) => operations.filter((_, index) => index % lanes === number);
  const running = Array.from({ length: lanes }, (_, number) =>
    lane(sandbox, ofLane(number), createRandom('f7-weather', seed, number), guards),
  );
  const stories = (await Promise.all(running)).flat();
  await sandbox.close();
  return stories;
}

function failuresOf(story: Story, { duplicated, lost, misreported, needless }: Judgement, seed: number): string[] {
  const wrongs = [
    ...(duplicated ? ['duplicated'] : []),
    ...(lost ? ['lost'] : []),
    ...misreported,
    ...(needless ? ['reported as unknown although reading back had shown the effect'] : []),
  ];
  return wrongs.map((wrong) => `seed ${seed}, ${story.name}: ${wrong}`);
}

/** The same writes without preflight and quarantine: if no duplicate shows up then, the figure cannot detect any. */
async function control(size: Size, seed: number): Promise<string[]> {
  if (size === 'short') return [];
  const stories = await tell(controlWrites, counts.whole.lanes, seed, unguarded);
  const doubled = stories.filter((story) => judge(story).duplicated).length;
  return [`control: without preflight and quarantine, ${doubled} of ${stories.length} writes are duplicated`];
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const { writes, lanes } = counts[size];
  const stories = await tell(writes, lanes, seed, guarded);
  const judged = stories.map((story) => ({ story, verdict: judge(story) }));
  const count = (isSo: (verdict: Judgement) => boolean) => judged.filter(({ verdict }) => isSo(verdict)).length;
  const calls = stories.reduce((sum, story) => sum + story.calls.length, 0);
  const requests = stories.reduce((sum, story) => sum + story.calls.flatMap(({ sent }) => sent).length, 0);
  const unknown = count(({ unknownLast }) => unknownLast) / stories.length;
  const [duplicated, lost, misreported] = [
    count((verdict) => verdict.duplicated),
    count((verdict) => verdict.lost),
    count((verdict) => verdict.misreported.length > 0),
  ];
  const failures = judged.flatMap(({ story, verdict }) => failuresOf(story, verdict, seed));
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
  return {
    tried: `${stories.length} writes, with faults in 40% of their requests and 10% of the reads; ${calls} calls by an agent that repeats unclear ones, ${requests} write requests; in memory, waits scaled to ${percent(pace)}`,
    result: `${duplicated} duplicated, ${lost} lost, ${misreported} misreported; ${percent(unknown)} unknown after the repeats`,
    reached: failures.length === 0 && unknown <= maxUnknown[size],
    details: [
      `unknown after the first call: ${percent(count(({ unknownFirst }) => unknownFirst) / stories.length)}; ${count(({ needless }) => needless)} of these answers were needless, because reading back would have shown the effect`,
      `timeout ${timeoutMs} ms instead of 30 s, quarantine ${quarantineMs} ms instead of 120 s; late writes are done ${latest.least} to ${latest.most} ms after the timeout: before or after the last check, but within the quarantine`,
      'the writes include sync_roster, with one new student and one who already has access, and apply_course_outline, with one title; tests in test/tools/ cover lists of many new students and outlines of many lessons',
      ...(await control(size, seed)),
    ],
    failures: firstFailures(failures),
    zeros: failures.length === 0 ? [{ what: 'writes duplicated, lost or misreported', of: stories.length }] : [],
  };
}

export const figure: Figure = {
  id: 'F7',
  title: 'Writes under faults, repeated by the agent',
  target: '0 duplicated, 0 lost, 0 misreported; at most 3% reported as unknown, and only if the effect cannot be seen',
  // A late write is done at least 50 ms after the timeout.
  maxStallMs: 40,
  run,
};
