import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inDays, isoSeconds, isWithin, lastWeek } from '../../../src/cli/demo/week.ts';

const day = 86_400_000;

test('last week begins on a Monday and ends before this one', () => {
  const between = { min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true };
  fc.assert(
    fc.property(fc.date(between), (now) => {
      const { from, to } = lastWeek(now);
      expect(from.getUTCDay()).toBe(1);
      expect(from.toISOString()).toMatch(/T00:00:00.000Z$/);
      expect(to.getTime() - from.getTime()).toBe(7 * day);
      const sinceItsEnd = now.getTime() - to.getTime();
      expect(sinceItsEnd >= 0 && sinceItsEnd < 7 * day).toBe(true);
    }),
  );
});

test('on a Monday the week that has just ended is the last one', () => {
  const { from, to } = lastWeek(new Date('2026-03-02T00:00:00Z'));
  expect([isoSeconds(from), isoSeconds(to)]).toEqual(['2026-02-23T00:00:00Z', '2026-03-02T00:00:00Z']);
  expect(inDays({ from, to })).toContain('2026-02-23 to 2026-03-01');
});

test('its first instant belongs to a week and the next Monday does not', () => {
  const week = lastWeek(new Date('2026-03-04T12:00:00Z'));
  expect(isWithin(week, '2026-02-23T00:00:00.000Z')).toBe(true);
  expect(isWithin(week, '2026-03-01T23:59:59.999Z')).toBe(true);
  expect(isWithin(week, '2026-03-02T00:00:00.000Z')).toBe(false);
  expect(isWithin(week, '2026-02-22T23:59:59.999Z')).toBe(false);
});
