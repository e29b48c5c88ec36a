/** Texts of about a length that make patterns, calendars and normalisation slow where nothing bounds them. */
export const adversarialTexts: Readonly<Record<string, (length: number) => string>> = {
  letters: (length) => 'a'.repeat(length),
  digits: (length) => '9'.repeat(length),
  'a date with a long fraction': (length) => `2026-02-28T09:30:00.${'1'.repeat(length)}Z`,
  'blanks between letters': (length) => `a${' '.repeat(length)}b`,
  'line breaks': (length) => '\r\n \n'.repeat(length / 4),
  'combining marks': (length) => `e${'\u0301\u0323'.repeat(length / 2)}`,
  surrogates: (length) => '\uD800'.repeat(length),
  'letters before an at sign': (length) => `${'a'.repeat(length)}@`,
  'half emails': (length) => 'a@'.repeat(length / 2),
  'emails without an end': (length) => `a@${'a.'.repeat(length / 2)}@`,
  brackets: (length) => '[({<'.repeat(length / 4),
  'percent signs': (length) => '%'.repeat(length),
  'slashes and dots': (length) => '/..'.repeat(length / 3),
  'quotation marks': (length) => '"\\'.repeat(length / 2),
};

/**
 * Milliseconds of this process's own computing in the cheapest of some runs: what else the machine does hardly counts.
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
