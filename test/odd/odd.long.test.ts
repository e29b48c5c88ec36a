import { expect, test } from 'vitest';
import { isFault, judgeSwitch } from './judge/run.ts';
import { switches } from './switches/index.ts';
import { classes } from './switches/switch.ts';

// The program uses a second academy, which is written only from the API document and departs from it in one point. An
// answer may be right, say that it is incomplete, or be an honest error. It must never be silently wrong, or needlessly in doubt.

test.for(switches)('$name: $says', async (one) => {
  expect((await judgeSwitch(one)).filter(isFault)).toEqual([]);
});

test('every switch has a unique name, and every class has switches', () => {
  expect(new Set(switches.map(({ name }) => name)).size).toBe(switches.length);
  expect(new Set(switches.map((one) => one.class))).toEqual(new Set(classes));
});
