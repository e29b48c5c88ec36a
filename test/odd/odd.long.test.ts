import { expect, test } from 'vitest';
import { pairsOf } from './judge/lanes.ts';
import { probesNamed } from './judge/probes/index.ts';
import { awayFromUtc, judgeSwitches } from './judge/run.ts';
import { knownWrong, shortForm } from './short-form.ts';
import { switches } from './switches/index.ts';
import { classes } from './switches/switch.ts';

// The program uses a second academy, which is written only from the API document and departs from it in one point. An
// answer may be right, say that it is incomplete, or be an honest error. It must never be silently wrong.
// `npx tsx test/odd/run.ts` tries all switches.

const byName = new Map(switches.map((one) => [one.name, one]));

for (const pair of shortForm) {
  const [name = '', question = ''] = pair.split(' ');
  const isKnown = knownWrong.includes(pair);
  test(`${name}: ${byName.get(name)?.says}: ${question} ${isKnown ? 'is known to be wrong' : 'is not silently wrong'}`, async () => {
    const one = byName.get(name);
    if (one === undefined) throw new Error(`no switch is called ${name}`);
    const [row] = await awayFromUtc(() => judgeSwitches([one], probesNamed([question])));
    const isWrong = row?.verdict === 'WRONG' || row?.verdict === 'worse';
    const hint = isKnown ? 'remove it from test/odd/known-wrong.ts' : row?.why;
    expect(isWrong, `${row?.verdict}: ${hint}`).toBe(isKnown);
  });
}

test('every switch has a unique name, and every class has switches', () => {
  expect(byName.size).toBe(switches.length);
  expect(new Set(switches.map((one) => one.class))).toEqual(new Set(classes));
});

test('every known fault and every pair of the short form exists', () => {
  const all = new Set(pairsOf(switches));
  expect([...knownWrong, ...shortForm].filter((pair) => !all.has(pair))).toEqual([]);
});
