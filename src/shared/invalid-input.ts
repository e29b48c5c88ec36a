import { AcademyError } from './errors.ts';

const maxReasons = 8;
const numbers = new Intl.NumberFormat('en');

/** The first few of many, with the number of the others. */
export function firstOf(all: readonly string[], most: number, separator: string): string {
  const more = all.length > most ? [`… and ${numbers.format(all.length - most)} more`] : [];
  return [...all.slice(0, most), ...more].join(separator);
}

/** The refusal of arguments, one reason each, of which the first few are told. Nothing was sent. */
export function refuseInput(reasons: Iterable<string>): AcademyError {
  const hint = 'Correct the arguments and call again.';
  // One value may break several limits that have the same words.
  const told = firstOf([...new Set(reasons)], maxReasons, '; ');
  return new AcademyError('invalid_input', `${told}. Nothing was sent`, { hint });
}
