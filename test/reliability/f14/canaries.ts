/** Secrets that may appear only in the request itself. */
export const secrets = {
  key: 'CANARYKEY-7f3a9c"\\51d2e8b4',
  confirmSecret: 'CANARYSECRET-0b9e4d7c2a',
} as const;

/** Data and texts of students, which may appear only in the answers. */
export const personal = {
  email: "quilla.o'canary@example.com",
  name: 'Quilla Canarybird',
  text: 'Canaryword: my grandmother left me her house',
} as const;

type Words = Readonly<Record<string, string>>;

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** The forms in which a text could appear: plain, in JSON, in texts that JSON quotes again, in a URL, in base64. */
function spellings(word: string): string[] {
  const once = inJson(word);
  const twice = inJson(once);
  const bytes = Buffer.from(word);
  const base64 = bytes.toString('base64').replace(/.{2}=*$/, '');
  return [word, once, twice, inJson(twice), encodeURIComponent(word), base64, bytes.toString('hex')];
}

/** The words that an output contains, in any form and letter case. */
export function hits(output: string, words: Words): string[] {
  const seen = output.toLowerCase();
  return Object.entries(words)
    .filter(([, word]) => spellings(word).some((spelling) => seen.includes(spelling.toLowerCase())))
    .map(([name]) => name);
}
