import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { runHostile } from '../f22/hostile.ts';
import { killWhileFilling } from '../f22/kills.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const kills: Record<Size, number> = { short: 3, whole: 200 };
const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;

async function run(size: Size, seed: number): Promise<FigureResult> {
  const random = createRandom('f22', seed);
  const hostile = await runHostile(size);
  const killed = await killWhileFilling(kills[size], () => random.next());
  const failures = [...hostile.failures, ...killed.failures];
  return {
    tried: `${hostile.statements} hostile statements on one database; the built program killed ${kills[size]} times with SIGKILL while it filled one mirror file`,
    result: `0 writes and 0 files expected, ${hostile.failures.length} problems; slowest statement ${Math.round(hostile.slowest)} ms; ${killed.failures.length} problems after the kills`,
    reached: failures.length === 0,
    details: [
      'families: writes, ATTACH and VACUUM INTO, PRAGMA, functions that read or write files, tables of SQLite and of the program, several statements, comments, invisible characters, text bombs, statements without an end, up to 1,000 joins, deep nesting',
      `after ${hostile.restarts} statements the thread had to be started again; a statement made the engine reserve at most ${megabytes(hostile.kept)} more, and the program replaces the thread beyond 96 MB`,
      `${killed.saved} of the kills left a saved file; in the end, every order and product of an order was there once, with the exact sum of all amounts`,
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros:
      failures.length === 0
        ? [
            { what: 'hostile statements that wrote, left a file or ran above 2.5 s', of: hostile.statements },
            { what: 'kills that lost or doubled a row, or left a damaged file', of: kills[size] },
          ]
        : [],
  };
}

export const figure: Figure = {
  id: 'F22',
  title: 'The mirror under attack and killed',
  target: '0 writes, 0 files, no statement above 2.5 s; 0 rows lost or doubled, no damaged file trusted',
  run,
};
