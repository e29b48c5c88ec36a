import { AcademyError } from '../../shared/errors.ts';
import { byMembersKey } from '../output/fence-free-text.ts';
import type { Presented } from '../tool.ts';

/** The plan of a call that has no consent yet, as an answer. Both forms have every line. */
export function presentPlan(lines: readonly string[], next: string): Presented {
  const [first = '', ...others] = lines;
  return {
    summary: `Plan, nothing was changed: ${first}`,
    // Its lines quote names that members chose.
    data: { outcome: 'not_applied', plan: lines, next, [byMembersKey]: ['plan'] },
    uncut: ['plan', 'next'],
    body: () => [...others, 'Outcome: not_applied', `Next: ${next}`],
  };
}

/** A plan that would change nothing, as an answer. Rethrows every other error. */
export function presentIdlePlan(error: unknown): Presented {
  if (!(error instanceof AcademyError) || error.code !== 'not_applied') throw error;
  const { message, hint = 'Nothing is left to do.' } = error;
  return presentPlan(message.split('\n'), hint);
}
