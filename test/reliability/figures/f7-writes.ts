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

/** All waits of the program are this part of what they are: it looks after 20, 50 and 150 ms instead of 2, 5 and 15 s. */
const pace = 0.01;
const quarantineMs = 120_000 * pace;
const chances = { write: 0.4, read: 0.1 };
const counts: Record<Size, { writes: number; lanes: number }> = {
  short: { writes: 60, lanes: 12 },
  whole: { writes: 1_000, lanes: 12 },
};
/** The target; of 60 writes it would be less than two, which one seed in five misses by chance. */
const maxUnknown: Record<Size, number> = { short: 0.1, whole: 0.03 };
const controlWrites = 240;

/** Which write comes when: drawn once for all lanes, so that the seed alone decides. */
function drawOperations(academy: Academy, random: Random, count: number): ToolOperation[] {
  const lots = writeMix.flatMap(({ weight, make }) => Array.from({ length: weight }, () => make));
  const used = new Set<object>();
  return Array.from({ length: count }, (_, index) => random.pick(lots)(academy, `f7-${index}`, used));
}

/** Channels to be renamed, one for each write that does so: a later write to the same record would hide an earlier one. */
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

/** One agent with a program and a fault server of its own, doing one write after the other. */
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
/** What tells whether the weather is bad enough to show a fault of the program. */
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
    ...(needless ? ['called unknown although reading back had shown it'] : []),
  ];
  return wrongs.map((wrong) => `seed ${seed}, ${story.name}: ${wrong}`);
}

/** The same with preflight and quarantine off: a figure that shows nothing then would show nothing ever. */
async function control(size: Size, seed: number): Promise<string[]> {
  if (size === 'short') return [];
  const stories = await tell(controlWrites, counts.whole.lanes, seed, unguarded);
  const doubled = stories.filter((story) => judge(story).duplicated).length;
  return [`control: with preflight and quarantine off, ${doubled} of ${stories.length} writes are duplicated`];
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
    tried: `${stories.length} writes, 40% of their requests and 10% of the reads under a fault; ${calls} calls by an agent that repeats itself, ${requests} write requests; in memory, waits scaled to ${percent(pace)}`,
    result: `${duplicated} duplicated, ${lost} lost, ${misreported} misreported; ${percent(unknown)} unknown after the repeats`,
    reached: failures.length === 0 && unknown <= maxUnknown[size],
    details: [
      `unknown after the first call: ${percent(count(({ unknownFirst }) => unknownFirst) / stories.length)}; of all answers of this kind ${count(({ needless }) => needless)} were needless, as reading back would have shown the effect`,
      `time-out ${timeoutMs} ms in place of 30 s, quarantine ${quarantineMs} ms in place of 120 s; what is done late is done ${latest.least} to ${latest.most} ms after the time-out: before or after the last look, but within the quarantine`,
      'among the writes are bulk_enroll_students with one who is new beside one who holds it, and apply_course_outline with one title; lists of many new students and outlines of many lessons are not: what they say of each part is held in test/tools/',
      ...(await control(size, seed)),
    ],
    failures: firstFailures(failures),
    zeros: failures.length === 0 ? [{ what: 'writes duplicated, lost or misreported', of: stories.length }] : [],
  };
}

export const figure: Figure = {
  id: 'F7',
  title: 'Writes under faults, repeated by the agent',
  target: '0 duplicated, 0 lost, 0 misreported; at most 3% unknown, and those in truth',
  // A late write comes 50 ms after the time-out at the earliest.
  maxStallMs: 40,
  run,
};
