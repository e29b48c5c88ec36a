import { runJournalKills } from '../f25/journal-kills.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const kills: Record<Size, number> = { short: 6, whole: 200 };

async function run(size: Size, seed: number): Promise<FigureResult> {
  const { failures, writes, cut, applied } = await runJournalKills(kills[size], seed);
  return {
    tried: `the built program over stdio with a journal, killed ${kills[size]} times with SIGKILL at random moments during ${writes} writes`,
    result: `${cut} writes had a first line alone; ${applied} of them had been applied, as the next start found; ${failures.length} wrong`,
    reached: failures.length === 0,
    details: [
      'after each kill, no more writes may have reached the academy than have a first line in the journal',
      'at the end the program starts again, and looks for every write without a second line before any call: what it says must be what the academy has',
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros:
      failures.length === 0 ? [{ what: 'writes without a line, or told wrongly after a kill', of: kills[size] }] : [],
  };
}

export const figure: Figure = {
  id: 'F25',
  title: 'Killed between the lines of the journal',
  target: '0 writes without a first line; 0 told wrongly at the next start',
  run,
};
