import { expect, test } from 'vitest';
import { recordTime, rowTimes, timeOf } from '../../src/insights/api-time.ts';
import { hourMs } from '../../src/shared/durations.ts';

const ten = Date.UTC(2026, 10, 15, 10);

const readable: [written: string, at: number][] = [
  ['2026-11-15T10:00:00Z', ten],
  ['2026-11-15T10:00:00.000Z', ten],
  ['2026-11-15T10:00:00.123456789Z', ten + 123],
  ['2026-11-15T12:00:00+02:00', ten],
  ['2026-11-15T04:30:00-05:30', ten],
  ['2026-11-15T10:00', ten],
  [' 2026-11-15T10:00:00 ', ten],
  ['2026-11-15', ten - 10 * 3_600_000],
  ['2026-11-14T24:00:00Z', ten - 10 * 3_600_000],
];

test('every time of ISO 8601 is read in its offset, and in UTC where it has none', () => {
  for (const [written, at] of readable) expect(timeOf(written), written).toBe(at);
});

test('the zone of the machine makes no difference', () => {
  const zone = process.env.TZ;
  try {
    for (const other of ['America/New_York', 'Asia/Tokyo']) {
      process.env.TZ = other;
      expect(timeOf('2026-11-15T10:00:00')).toBe(ten);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

const unreadable = [
  '2026-11-15 10:00:00 UTC',
  '2026-11-15T12:00:00+0200',
  '20261115T100000Z',
  '',
  '15 Nov 10:00',
  '11/15/2026 10:00',
  'Sun, 15 Nov 2026 10:00:00 GMT',
  '1763200800',
  '1763200800000',
  '20261115',
  '2026',
  '2026-11',
  '2026-02-30T10:00:00Z',
  '2026-13-01',
  '2026-11-15T25:00:00Z',
  '2026-11-15T10:60:00Z',
  '2026-11-15T24:30:00Z',
  '2026-11-15T10:00:00+25:00',
  '2026-11-15T10:00:00 CET',
  'yesterday',
  'null',
];

test('anything else is no time', () => {
  for (const written of unreadable) expect(timeOf(written), written).toBeUndefined();
  expect(timeOf(undefined)).toBeUndefined();
});

test('1970 is written for no time: a record is not that old', () => {
  expect(recordTime('1970-01-01T00:00:00Z')).toBeUndefined();
  expect(recordTime('1999-12-31')).toBe(timeOf('1999-12-31'));
});

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
