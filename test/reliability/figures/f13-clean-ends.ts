import { type Ended, loads, type Round, runLane } from '../f13/lane.ts';
import { manners } from '../f13/process.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const counts: Record<Size, { each: number; lanes: number }> = {
  short: { each: 3, lanes: 3 },
  whole: { each: 100, lanes: 4 },
};

/** Combines every kind of shutdown with every load in turn. */
function roundsOf(each: number): Round[] {
  return manners.flatMap((manner, row) =>
    Array.from({ length: each }, (_, column) => ({ manner, load: loads[(row * 2 + column) % loads.length] ?? 'idle' })),
  );
}

function describe({ manner, load, problems }: Ended): string[] {
  return problems.map((problem) => `${manner}, ${load}: ${problem}`);
}

function slowest(ended: readonly Ended[], isIdle: boolean): number {
  const times = ended.filter(({ load }) => (load === 'idle') === isIdle).map(({ exit }) => exit.milliseconds);
  return Math.round(Math.max(0, ...times));
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const { each, lanes } = counts[size];
  const rounds = roundsOf(each);
  const parts = Array.from({ length: lanes }, (_, lane) => rounds.filter((_round, index) => index % lanes === lane));
  const ended = (await Promise.all(parts.map((part, lane) => runLane(part, seed, lane)))).flat();
  const failures = ended.flatMap(describe);
  const clean = ended.filter(({ problems }) => problems.length === 0).length;
  const writes = ended.reduce((sum, one) => sum + one.writes, 0);
  return {
    tried: `the built program, ended ${each} times each by ${manners.join(', ')}: idle, with reads, writes or both in flight, with a queue`,
    result: `${clean} of ${ended.length} ended cleanly; the slowest after ${slowest(ended, true)} ms idle, ${slowest(ended, false)} ms with work`,
    reached: failures.length === 0,
    details: [
      `${writes} writes reached the academy before or after the client disconnected; each has a completed line in the audit log with its true outcome`,
      'the writes include sync_roster, with one new student, and apply_course_outline, with one title',
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros:
      failures.length > 0
        ? []
        : [
            {
              what: 'unclean shutdowns, orphan processes, or writes with a wrong line in the audit log',
              of: ended.length,
            },
          ],
  };
}

export const figure: Figure = {
  id: 'F13',
  title: 'Clean ends',
  target:
    'exit code 0, within 2 s if idle and 30 s with work; no orphan process; every write in the audit log with its true outcome',
  run,
};
