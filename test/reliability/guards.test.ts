import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guards } from './guards.ts';

/** Counts a part in a text, without overlaps. */
function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

test('each text that a guard quotes occurs exactly once in its file', () => {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const found = guards.map(({ name, file, text }) => ({ name, file, times: occurrences(read(file), text) }));
  expect(found.filter(({ times }) => times !== 1)).toEqual([]);
});
