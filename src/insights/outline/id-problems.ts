import { AcademyError } from '../../shared/errors.ts';
import { firstOf } from '../../shared/invalid-input.ts';

/** A kind of mistake and the ids that make it; no mistake without ids. */
export type IdProblem = readonly [what: string, ids: readonly (number | string)[]];

const maxNamed = 30;

/** The first ids for a sentence, and how many more there are. */
export function listed(ids: readonly (number | string)[], max = maxNamed): string {
  return firstOf(ids.map(String), max, ', ');
}

/** All mistakes in one text; empty if there are none. */
export function problemText(problems: readonly IdProblem[]): string {
  return problems
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => `${what}: ${listed([...new Set(ids)])}`)
    .join('; ');
}

/** Throws `invalid_input` with all mistakes at once, so that the caller can fix them in one go. */
export function refuseProblems(argument: string, problems: readonly IdProblem[]): void {
  const wrong = problemText(problems);
  if (wrong === '') return;
  throw new AcademyError('invalid_input', `${argument}: ${wrong}`, {
    hint: 'get_course_structure shows the modules and lessons of the course.',
  });
}

/** The values that occur more than once in a list, each once. */
export function duplicates<T>(values: readonly T[]): T[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
