import { expect, test } from 'vitest';
import { bandsOf, defaultBands } from '../../../src/insights/students/progress.ts';
import { minutesFor, minutesText, planCost } from '../../../src/workflows/requests-allowed.ts';

const labels: [bounds: number[], labels: string[]][] = [
  [[...defaultBands], ['0%', '1-24%', '25-49%', '50-74%', '75-99%', '100%']],
  [[50], ['0-49%', '50-100%']],
  [
    [80, 20, 80],
    ['0-19%', '20-79%', '80-100%'],
  ],
  [[100], ['0-99%', '100%']],
  [[0], ['0-100%']],
  [[], ['0-100%']],
];

test.for(labels)('bands that begin at %j are %j', ([bounds, expected]) => {
  expect(bandsOf([], bounds).map(({ label }) => label)).toEqual(expected);
});

const costs: [requests: number, limit: number | undefined, remaining: number, now: string, steady: string][] = [
  [50, 54, 54, 'less than a minute', 'less than a minute'],
  [55, 54, 54, 'about a minute', 'about a minute'],
  [50, 54, 10, 'about a minute', 'less than a minute'],
  [600, 54, 10, 'about 11 minutes', 'about 11 minutes'],
  [600, undefined, 0, 'less than a minute', 'less than a minute'],
];

test.for(costs)('%i requests at %s a minute, %i of them free, take %s; at a whole budget %s', (row) => {
  const [requests, limit, remaining, expected, steady] = row;
  expect(minutesText(minutesFor(requests, { limit, remaining }))).toBe(expected);
  expect(planCost(requests, { full: limit })).toBe(`${requests} request${requests === 1 ? '' : 's'}, ${steady}`);
});
