import { runSequences } from '../f23/sequences.ts';
import { writes } from '../f23/steps.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const counts: Record<Size, number> = { short: 50, whole: 1_000 };

async function run(size: Size, seed: number): Promise<FigureResult> {
  const { rows, steps, failures, succeeded } = await runSequences(counts[size], seed);
  const never = writes.filter((name) => !succeeded.has(name)).map((name) => `${name} never succeeded`);
  const all = [...failures, ...never].map((failure) => `seed ${seed}, ${failure}`);
  return {
    tried: `${counts[size].toLocaleString('en')} random sequences with ${steps.toLocaleString('en')} steps: every write of this program, and changes by others`,
    result: `${counts[size].toLocaleString('en')} sequences, ${rows.toLocaleString('en')} rows compared with the raw API, ${failures.length} silent differences`,
    reached: all.length === 0,
    details: [
      'others grant and revoke access, rename students, respell emails with capitals and plus signs, change the status of orders and titles, and let students and orders appear and vanish',
      'after each sequence refresh_data must end with complete tables, whose rows must be those of the API; only rows that others changed after `changes_as_of` may be older, until refresh_data with since has read them',
    ],
    failures: firstFailures(all),
    zeros: all.length === 0 ? [{ what: 'rows that differed in a complete table', of: rows }] : [],
  };
}

export const figure: Figure = {
  id: 'F23',
  title: 'The copy compared with the academy',
  target: '0 silent differences; complete again after refresh_data',
  run,
};
