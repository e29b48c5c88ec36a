import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { runHostile } from '../f22/hostile.ts';
import { killWhileFilling } from '../f22/kills.ts';
import { askWhileFilling, type WaitingRun } from '../f22/waiting.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';
import { quantile } from '../load/measures.ts';

const kills: Record<Size, number> = { short: 3, whole: 200 };
const middle = (times: readonly number[], share = 0.5) => Math.round(quantile(times, share));

/** What the whole form says of a person's questions. */
function waitingText({ without, filling, filled, refused }: WaitingRun) {
  return {
    tried: `; ${filling.length} questions of a person at 60 requests a minute, with and without a mirror that is filled`,
    result: `; a question took ${middle(filling)} ms while a mirror was filled and ${middle(without)} ms without one at the median, with ${refused} × 429`,
    detail: `questions of one request each, 30 a minute, of which the academy took 250 ms: 95th percentile ${middle(filling, 0.95)} ms while the filling sent ${filled} requests, and ${middle(without, 0.95)} ms without it; the filling starts a request only while all of the last minute are within its share, so a person who needs more than the other 70% within a minute waits for the rest`,
    zeros: { what: 'requests refused with 429 while a mirror was filled', of: filled + 2 * filling.length },
  };
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const random = createRandom('f22', seed);
  const hostile = await runHostile(size);
  const killed = await killWhileFilling(kills[size], () => random.next());
  // test/e2e/mirror-waiting.long.test.ts runs the short form.
  const waiting = size === 'short' ? undefined : await askWhileFilling(size);
  const waited = waiting && waitingText(waiting);
  const failures = [...hostile.failures, ...killed.failures, ...(waiting?.failures ?? [])];
  return {
    tried: `${hostile.statements} hostile statements on one database; the built program killed ${kills[size]} times with SIGKILL while it filled one mirror file${waited?.tried ?? ''}`,
    result: `0 writes and 0 files expected, ${hostile.failures.length} problems; slowest statement ${Math.round(hostile.slowest)} ms; ${killed.failures.length} problems after the kills${waited?.result ?? ''}`,
    reached: failures.length === 0,
    details: [
      'families: writes, ATTACH and VACUUM INTO, PRAGMA, functions that read or write files, tables of SQLite and of the program, several statements, comments, invisible characters, text bombs, joins that name no column, steps that nothing interrupts, statements without an end, up to 1,000 joins, deep nesting',
      'a statement that is stuck in a single step, such as a search of one long text in another, ends only the thread of callers; the database that is filled is in another one',
      `${killed.saved} of the kills left a saved file; in the end, every order and product of an order was there once, with the exact sum of all amounts`,
      ...(waited === undefined ? [] : [waited.detail]),
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros:
      failures.length === 0
        ? [
            { what: 'hostile statements that wrote, left a file or ran above 4 s', of: hostile.statements },
            { what: 'kills that lost or doubled a row, or left a damaged file', of: kills[size] },
            ...(waited === undefined ? [] : [waited.zeros]),
          ]
        : [],
  };
}

export const figure: Figure = {
  id: 'F22',
  title: 'The mirror attacked, killed and waited for',
  target:
    '0 writes, 0 files, no statement above 4 s; 0 rows lost or doubled, no damaged file trusted; a question while a mirror is filled takes at most 5% longer, with no 429 of our own',
  run,
};
