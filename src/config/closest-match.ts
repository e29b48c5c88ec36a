import { distance } from 'fastest-levenshtein';

/** A shorter word is a part of too many others. */
const minPartLength = 3;

/** The entry of `words` that was probably meant: at most a third of the letters differ, or `word` is a part of it. */
export function closestMatch(word: string, words: readonly string[]): string | undefined {
  const byDistance = [...words].sort((one, other) => distance(word, one) - distance(word, other));
  return byDistance.find(
    (known) => distance(word, known) <= word.length / 3 || (word.length >= minPartLength && known.includes(word)),
  );
}
