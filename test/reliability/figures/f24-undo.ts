import { runUndoSequences } from '../f24/undo-sequences.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const counts: Record<Size, number> = { short: 20, whole: 1_000 };

async function run(size: Size, seed: number): Promise<FigureResult> {
  const count = counts[size];
  const { failures, steps, undone, conflicts, refused } = await runUndoSequences(count, seed);
  return {
    tried: `${count.toLocaleString('en')} random sequences with ${steps.toLocaleString('en')} writes by this program and by others; then an undo of all writes of this program`,
    result: `${undone.toLocaleString('en')} writes undone, ${conflicts.toLocaleString('en')} left because others wrote since, ${refused.toLocaleString('en')} refused; ${failures.length} records that are not as they should be`,
    reached: failures.length === 0 && undone > 0,
    details: [
      'before and after, all fields of the touched records and of others are read by the raw API: each must be as it was or, if others wrote it last, as they left it',
      'no order that this program did not make may lose a course by an undo; the plan may change nothing',
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros: failures.length === 0 ? [{ what: 'sequences that were not undone exactly', of: count }] : [],
  };
}

export const figure: Figure = {
  id: 'F24',
  title: 'Undone exactly',
  target: '0 records that differ; 0 changes of others overwritten',
  run,
};
