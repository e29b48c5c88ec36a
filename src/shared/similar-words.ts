import { distance } from 'fastest-levenshtein';
import { composed } from './clean-text.ts';

// Compares names and titles as people type them: without accents, in any case, in any order of words.

/** Letters that Unicode does not decompose, as people write them on a keyboard without them. */
const plainLetters = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i' }),
);
const apostrophes = /['’‘ʼʻ`´′]/g;

/** A text in small letters without accents and apostrophes; other signs between words become one space. */
export function folded(text: string): string {
  const letters = composed(text)
    .toLowerCase()
    .replace(apostrophes, '')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '');
  const plain = letters.replace(/[ßæœøłđðþħı]/g, (letter) => plainLetters.get(letter) ?? letter);
  return plain
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

/** Whether a text has every word of `part`, whole or as a part of a word. Signs alone are looked for as they are. */
export function hasWords(text: string, part: string): boolean {
  const words = folded(part).split(' ');
  if (words[0] === '') return text.includes(part.trim());
  const all = folded(text);
  return words.every((word) => all.includes(word));
}

/** A longer text is no misspelled name, and costs time to compare. */
const maxLength = 60;

function differing(wanted: string, known: string): number {
  const words = known.split(' ');
  const byWord = wanted.split(' ').map((word) => Math.min(...words.map((one) => distance(word, one))));
  return Math.min(
    distance(wanted, known),
    byWord.reduce((sum, count) => sum + count, 0),
  );
}

/** The entries whose text is nearest to `wanted`, nearest first: at most a third of the letters differ. */
export function nearest<T>(wanted: string, entries: readonly T[], textOf: (entry: T) => string, most = 3): T[] {
  const text = folded(wanted);
  if (text === '' || text.length > maxLength) return [];
  return entries
    .map((entry) => ({ entry, count: differing(text, folded(textOf(entry).slice(0, 200))) }))
    .filter(({ count }) => count <= Math.max(1, text.length / 3))
    .sort((one, other) => one.count - other.count)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** ". Did you mean …?" for a misspelled word, or one that begins with a known one ("warning" and "warn"); otherwise empty. */
export function didYouMean(word: string, words: readonly string[]): string {
  const [match] = nearest(word, words, (known) => known, 1);
  const meant = match ?? words.find((known) => known.length > 2 && word.startsWith(known));
  return meant === undefined ? '' : `. Did you mean ${meant}?`;
}
