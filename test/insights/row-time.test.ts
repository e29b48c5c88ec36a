import { expect, test } from 'vitest';
import { rowTimes } from '../../src/insights/api-time.ts';
import { hourMs } from '../../src/shared/durations.ts';

const late = '2026-03-04T22:45:10.123Z';
const from = Date.parse('2026-03-03T00:00:00Z');

test.for([
  ['UTC', '2026-03-04', '2026-03-04 22:45'],
  ['Asia/Tokyo', '2026-03-05', '2026-03-05 07:45'],
  ['America/New_York', '2026-03-04', '2026-03-04 17:45'],
])('a row in %s has the day there, and the minute in a period of 48 hours', ([timezone = '', day, minute]) => {
  expect(rowTimes(timezone)(late)).toBe(day);
  expect(rowTimes(timezone, { from, to: from + 48 * hourMs })(late)).toBe(minute);
  expect(rowTimes(timezone, { from, to: from + 48 * hourMs + 1 })(late)).toBe(day);
  expect(rowTimes(timezone, { to: from })(late)).toBe(day);
});

test('a text that is no time stays as it is, and a missing one stays missing', () => {
  for (const timezone of ['UTC', 'Asia/Tokyo']) {
    expect(rowTimes(timezone)('soon')).toBe('soon');
    expect(rowTimes(timezone)(undefined)).toBeUndefined();
  }
});
