import { AcademyError } from './errors.ts';

const maxReasons = 8;

/** Joins the first `max` texts and adds the number of the others. */
export function firstOf(all: readonly string[], max: number, separator: string): string {
  const more = all.length > max ? [`… and ${withCommas(all.length - max)} more`] : [];
  return [...all.slice(0, max), ...more].join(separator);
}

/** The error for invalid arguments. Lists the first few reasons. Nothing was sent. */
export function refuseInput(reasons: Iterable<string>): AcademyError {
  const hint = 'Correct the arguments and call again.';
  // One value may violate several limits that have the same message.
  const listed = firstOf([...new Set(reasons)], maxReasons, '; ');
  return new AcademyError('invalid_input', `${listed}. Nothing was sent`, { hint });
}

/** A whole number as in `200,000`. Unlike Intl, it loads no languages, which takes 10 ms. */
export function withCommas(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
