import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

type Texts = Readonly<Record<string, (length: number) => string>>;

const commonTexts: Texts = {
  letters: (length) => 'a'.repeat(length),
  digits: (length) => '9'.repeat(length),
  'a date with a long fraction': (length) => `2026-02-28T09:30:00.${'1'.repeat(length)}Z`,
  'blanks between letters': (length) => `a${' '.repeat(length)}b`,
  'line breaks': (length) => '\r\n \n'.repeat(length / 4),
  'combining marks': (length) => `e${'\u0301\u0323'.repeat(length / 2)}`,
  surrogates: (length) => '\uD800'.repeat(length),
  'letters before an at sign': (length) => `${'a'.repeat(length)}@`,
  'half emails': (length) => 'a@'.repeat(length / 2),
  'a very long email': (length) => `a@${'a.'.repeat(length / 2)}@`,
  brackets: (length) => '[({<'.repeat(length / 4),
  'percent signs': (length) => '%'.repeat(length),
  'slashes and dots': (length) => '/..'.repeat(length / 3),
  'quotation marks': (length) => '"\\'.repeat(length / 2),
};

/** Kinds of texts that few fields could hold: time zones, calendars, scripts, nested JSON. */
const rareTexts: Texts = {
  'a very long time zone': (length) => `2026-02-28T09:30:00+${'0'.repeat(length)}`,
  'a calendar annotation after a date': (length) => `2026-02-28[u-ca=${'a-'.repeat(length / 2)}]`,
  'a very long year': (length) => `+${'2'.repeat(length)}-01-01`,
  'decomposed Hangul': (length) => '\u1100\u1161\u11A8'.repeat(length / 3),
  'a chain of joined emoji': (length) => '\u{1F469}\u200D'.repeat(length / 3),
  'tag characters': (length) => '\u{E0061}'.repeat(length / 2),
  'ligatures that expand': (length) => '\uFDFA'.repeat(length),
  'a quoted mailbox': (length) => `"${'a\\ '.repeat(length / 3)}"@example.com`,
  'dots before an at sign': (length) => `${'a.'.repeat(length / 2)}@example.com`,
  'JSON in JSON': (length) => '[{"a":'.repeat(length / 6),
  'an exponent': (length) => `1e${'9'.repeat(length)}`,
  'leading zeros': (length) => `${'0'.repeat(length)}1`,
};

/** Texts of about this length that slow down unbounded patterns, calendars and normalisation. */
export const adversarialTexts: Texts = { ...commonTexts, ...rareTexts };

/**
 * CPU time of this process in the cheapest of some runs, in milliseconds: the load of the machine hardly counts.
 * Client, server and academy are all in this process.
 */
export async function cheapest(runs: number, run: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let done = 0; done < runs; done += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

const short = 25_000;
const long = 100_000;
/** Above 4, which is linear, and below 16, which is quadratic. */
const maxTimes = 10;
/** The least time of a call that can be compared, in milliseconds. */
const floor = 3;
const maxRefusal = 4_096;

/** Calls with one text in one place, and returns the length of the refusal. */
export type Ask = (text: string) => Promise<number>;

export function refusalBytes(answer: CallToolResult): number {
  const { content, isError } = answer;
  return isError === true ? Buffer.byteLength(JSON.stringify(content)) : 0;
}

export async function bytesOf(asking: Promise<number | undefined>): Promise<number> {
  return await asking.then(
    (bytes) => bytes ?? 0,
    (error: Error) => Buffer.byteLength(JSON.stringify(error.message)),
  );
}

/** The problems of the answers to a text. Only slow calls are measured again, so that few calls are made. */
export async function complaint(ask: Ask, made: (length: number) => string): Promise<string | undefined> {
  const [shortText, longText] = [made(short), made(long)];
  const limit = async (runs: number) => maxTimes * Math.max(floor, await cheapest(runs, () => ask(shortText)));
  let bytes = 0;
  const inLong = async () => {
    bytes = await ask(longText);
  };
  const first = await cheapest(1, inLong);
  if (bytes > maxRefusal) return `a refusal of ${bytes} bytes`;
  if (first <= maxTimes * floor) return undefined;
  const [took, allowed] = [await cheapest(5, inLong), await limit(5)];
  return took <= allowed ? undefined : `${Math.round(took)} ms, where ${Math.round(allowed)} would do`;
}
