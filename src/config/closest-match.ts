import { distance } from 'fastest-levenshtein';

/** Shorter words are a part of too much. */
const shortestPart = 3;

/** The one of `words` that was probably meant: a third of the letters may be wrong, or the rest missing. */
export function closestMatch(word: string, words: readonly string[]): string | undefined {
  const byDistance = [...words].sort((one, other) => distance(word, one) - distance(word, other));
  return byDistance.find(
    (known) => distance(word, known) <= word.length / 3 || (word.length >= shortestPart && known.includes(word)),
  );
}
