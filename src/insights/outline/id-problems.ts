import { AcademyError } from '../../shared/errors.ts';

/** What is wrong, and with which ids; nothing where there are none. */
export type Problem = readonly [what: string, ids: readonly (number | string)[]];

const maxNamed = 30;

/** A list of ids for a sentence, of which the end may be a number. */
export function naming(ids: readonly (number | string)[], most = maxNamed): string {
  const more = ids.length > most ? ` and ${ids.length - most} more` : '';
  return `${ids.slice(0, most).join(', ')}${more}`;
}

/** Everything that is wrong; empty where nothing is. */
export function problemText(problems: readonly Problem[]): string {
  return problems
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => `${what}: ${naming([...new Set(ids)])}`)
    .join('; ');
}

/** Throws `invalid_input` with everything that is wrong at once, so that it can be mended at once. */
export function refuse(argument: string, problems: readonly Problem[]): void {
  const wrong = problemText(problems);
  if (wrong === '') return;
  throw new AcademyError('invalid_input', `${argument}: ${wrong}`, {
    hint: 'get_course_structure shows the modules and lessons of the course.',
  });
}
