import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime, isTimeZone, periodFacts, periodNames, resolvePeriod } from '../../src/insights/period.ts';
import { bucketsOf, calendarUnits } from '../../src/insights/sales/sales-report.ts';

/** A Sunday, on whose night the clocks of Lisbon and Berlin go forward. */
const now = new Date('2026-03-29T10:00:00Z');

const utc: Record<string, [from: string | undefined, to: string]> = {
  today: ['2026-03-29T00:00:00Z', '2026-03-29T10:00:00Z'],
  yesterday: ['2026-03-28T00:00:00Z', '2026-03-29T00:00:00Z'],
  this_week: ['2026-03-23T00:00:00Z', '2026-03-29T10:00:00Z'],
  last_week: ['2026-03-16T00:00:00Z', '2026-03-23T00:00:00Z'],
  last_7_days: ['2026-03-23T00:00:00Z', '2026-03-29T10:00:00Z'],
  last_30_days: ['2026-02-28T00:00:00Z', '2026-03-29T10:00:00Z'],
  this_month: ['2026-03-01T00:00:00Z', '2026-03-29T10:00:00Z'],
  last_month: ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
  this_year: ['2026-01-01T00:00:00Z', '2026-03-29T10:00:00Z'],
  last_year: ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  all_time: [undefined, '2026-03-29T10:00:00Z'],
};

test.for([...periodNames])('%s in UTC', async (period) => {
  const [from, to] = utc[period] ?? [];
  const facts = periodFacts(await resolvePeriod({ period, timezone: 'UTC' }, now));
  expect(facts).toEqual({ ...(from === undefined ? {} : { from }), to, timezone: 'UTC' });
});

test('days begin at the midnight of the zone, on both sides of a change of its clocks', async () => {
  const bounds = async (created_after: string, created_before: string, timezone: string) => {
    const { from = 0, to } = await resolvePeriod({ created_after, created_before, timezone }, new Date('2027-01-01'));
    return [isoTime(from), isoTime(to)];
  };
  // 23 hours, 25 hours.
  expect(await bounds('2026-03-29', '2026-03-30', 'Europe/Berlin')).toEqual([
    '2026-03-28T23:00:00Z',
    '2026-03-29T22:00:00Z',
  ]);
  expect(await bounds('2026-10-25', '2026-10-26', 'Europe/Berlin')).toEqual([
    '2026-10-24T22:00:00Z',
    '2026-10-25T23:00:00Z',
  ]);
  // Clocks in Cairo skip the midnight of 2026-04-24: the day begins at one.
  expect(await bounds('2026-04-24', '2026-04-25', 'Africa/Cairo')).toEqual([
    '2026-04-23T22:00:00Z',
    '2026-04-24T21:00:00Z',
  ]);
  expect(await bounds('2026-05-01T09:30', '2026-05-01T09:30:00-03:00', 'Europe/Berlin')).toEqual([
    '2026-05-01T07:30:00Z',
    '2026-05-01T12:30:00Z',
  ]);
});

test('an open end is closed at the time of the call, and so is one in the future', async () => {
  const open = await resolvePeriod({ created_after: '2026-03-01', timezone: 'UTC' }, now);
  expect(open.to).toBe(now.getTime());
  const late = await resolvePeriod({ created_before: '2999-01-01', timezone: 'UTC' }, now);
  expect(late).toEqual({ from: undefined, to: now.getTime(), timezone: 'UTC' });
});

test('a time zone is a known name, not an offset', () => {
  for (const name of ['UTC', 'Europe/Lisbon', 'america/new_york', 'Asia/Kolkata']) expect(isTimeZone(name)).toBe(true);
  for (const name of ['', '+02:00', 'Lisbon', 'Europe/Lissabon', '../UTC']) expect(isTimeZone(name)).toBe(false);
});

const zones = fc.constantFrom('UTC', 'Europe/Lisbon', 'Africa/Cairo', 'America/Santiago', 'Asia/Kathmandu');
const moments = fc.integer({ min: Date.parse('2024-01-01T00:00:00Z'), max: Date.parse('2027-01-01T00:00:00Z') });

test('the days, weeks or months of a period follow each other without gap and hold all of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      moments,
      fc.integer({ min: 1, max: 90 * 86_400_000 }),
      zones,
      fc.constantFrom(...calendarUnits),
      async (from, length, timezone, unit) => {
        const to = from + length;
        const buckets = await bucketsOf({ from, to, timezone }, unit);
        expect(buckets[0]?.from).toBe(from);
        expect(buckets.at(-1)?.to).toBe(to);
        for (const [index, { from: begin, to: end }] of buckets.entries()) {
          expect(end).toBeGreaterThan(begin);
          expect(begin).toBe(index === 0 ? from : buckets[index - 1]?.to);
        }
        expect(new Set(buckets.map(({ key }) => key)).size).toBe(buckets.length);
      },
    ),
  );
});

test('the key of a day is the date that the zone shows all through it', async () => {
  await fc.assert(
    fc.asyncProperty(moments, zones, async (from, timezone) => {
      const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone });
      for (const { key, ...day } of await bucketsOf({ from, to: from + 5 * 86_400_000, timezone }, 'day')) {
        expect([shown.format(day.from), shown.format(day.to - 1)]).toEqual([key, key]);
      }
    }),
  );
});
