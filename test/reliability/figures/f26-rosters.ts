import { runMalformed, runRosters } from '../f26/rosters.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const counts: Record<Size, { lists: number; malformed: number; stormy: number }> = {
  short: { lists: 20, malformed: 60, stormy: 10 },
  whole: { lists: 500, malformed: 500, stormy: 5 },
};

async function run(size: Size, seed: number): Promise<FigureResult> {
  const { lists, malformed, stormy } = counts[size];
  const done = await runRosters(lists, seed, stormy);
  const failures = [...done.failures, ...(await runMalformed(malformed, seed))];
  return {
    tried: `${lists} random lists over random classes, ${done.stormy} of them first while 40% of all requests failed; ${malformed} malformed lists`,
    result: `${done.added.toLocaleString('en')} people added, ${done.removed.toLocaleString('en')} removed, ${done.kept.toLocaleString('en')} kept because they paid; ${failures.length} wrong`,
    reached: failures.length === 0 && done.added > 0 && done.removed > 0 && done.kept > 0,
    details: [
      'afterwards the people with the product are those of the list and those who paid, by the orders of the academy itself; nobody got two orders, and no paid order lost a product',
      'a second run sends no write; a malformed list is refused with a reason, before any request',
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros: failures.length === 0 ? [{ what: 'lists that left another class than they should', of: lists }] : [],
  };
}

export const figure: Figure = {
  id: 'F26',
  title: 'A class as its list says',
  target: '0 people too many or too few; 0 paid accesses lost; 0 writes by a second run; 0 malformed lists accepted',
  run,
};
