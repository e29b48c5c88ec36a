import { AcademyError } from '../../errors.ts';

/** What is wrong, and with which ids; nothing where there are none. */
export type Problem = readonly [what: string, ids: readonly (number | string)[]];

const mostNamed = 30;

/** A list of ids for a sentence, of which the end may be a number. */
export function naming(ids: readonly (number | string)[], most = mostNamed): string {
  const more = ids.length > most ? ` and ${ids.length - most} more` : '';
  return `${ids.slice(0, most).join(', ')}${more}`;
}

/** Throws `invalid_input` with everything that is wrong at once, so that it can be mended at once. */
export function refuse(argument: string, problems: readonly Problem[]): void {
  const wrong = problems
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => `${what}: ${naming([...new Set(ids)])}`);
  if (wrong.length === 0) return;
  throw new AcademyError('invalid_input', `${argument}: ${wrong.join('; ')}`, {
    hint: 'get_course_structure shows the modules and lessons of the course.',
  });
}
