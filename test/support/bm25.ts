/** A text to search, with the name that a hit reports. */
export interface Searchable {
  readonly name: string;
  readonly text: string;
}

// The usual values: how fast a repeated word saturates, and how much a long text is discounted.
const saturation = 1.2;
const lengthWeight = 0.75;

/** Words of every question, which a search leaves out. */
const stopWords = new Set(
  'a about all an and are at be by can did do does for from has have her him his how i in is it its me my no not of on or our she so that the their them there they this to us was we what when which who whose will with you'.split(
    ' ',
  ),
);

/** The singular, roughly: "courses" and "course" are one word. */
const stem = (word: string) => (word.length > 3 ? word.replace(/(?<=[^s])s$/, '') : word);

/** Lower-case words. A name such as `find_buyers` is two words. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.filter((word) => !stopWords.has(word)).map(stem);
}

function countOf(words: readonly string[], wanted: string): number {
  return words.filter((word) => word === wanted).length;
}

/** Ranks texts by BM25, as clients do that search tools instead of loading all of them. Returns names, best first. */
export function createSearch(texts: readonly Searchable[]): (question: string) => string[] {
  const entries = texts.map(({ name, text }) => ({ name, words: wordsOf(`${name} ${text}`) }));
  const average = entries.reduce((sum, { words }) => sum + words.length, 0) / entries.length;

  function rarity(word: string): number {
    const holders = entries.filter(({ words }) => words.includes(word)).length;
    return Math.log(1 + (entries.length - holders + 0.5) / (holders + 0.5));
  }

  function score(words: readonly string[], asked: readonly string[]): number {
    const discount = saturation * (1 - lengthWeight + (lengthWeight * words.length) / average);
    const parts = asked.map((word) => {
      const count = countOf(words, word);
      return (rarity(word) * count * (saturation + 1)) / (count + discount);
    });
    return parts.reduce((sum, part) => sum + part, 0);
  }

  return (question) => {
    const asked = [...new Set(wordsOf(question))];
    const scored = entries.map(({ name, words }) => ({ name, score: score(words, asked) }));
    return scored.sort((one, other) => other.score - one.score).map(({ name }) => name);
  };
}
