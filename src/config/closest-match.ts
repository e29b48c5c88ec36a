import { distance } from 'fastest-levenshtein';

/** A shorter word is a part of too many others. Characters. */
const minPartLength = 3;
/** A longer text is no misspelled word. It may be a secret in the wrong place, and costs time to compare. */
const maxLength = 60;

/** People leave out the continent of a time zone, so "lisabon" is close to "europe/lisbon". */
function distanceTo(word: string, known: string): number {
  const lastPart = known.slice(known.lastIndexOf('/') + 1);
  return Math.min(distance(word, known), distance(word, lastPart));
}

/**
 * The entry of `words` that was probably meant: at most a third of the letters differ, `word` is a part of it, or `word`
 * starts with it ("warning" and "warn"). Upper and lower case count as the same.
 */
export function closestMatch(word: string, words: readonly string[]): string | undefined {
  if (word.length > maxLength) return undefined;
  const lower = word.toLowerCase();
  const distances = words.map((known) => ({ known, differing: distanceTo(lower, known.toLowerCase()) }));
  const contains = (text: string, part: string) => part.length >= minPartLength && text.includes(part);
  const isPart = (known: string) => contains(known, lower) || (contains(lower, known) && lower.startsWith(known));
  return distances
    .sort((one, other) => one.differing - other.differing)
    .find(({ known, differing }) => differing <= word.length / 3 || isPart(known.toLowerCase()))?.known;
}

/** " Did you mean …?" for a misspelled word, or an empty text. */
export function didYouMean(word: string, words: readonly string[]): string {
  const match = closestMatch(word, words);
  return match === undefined ? '' : `. Did you mean ${match}?`;
}
