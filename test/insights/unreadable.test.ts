import { expect, test } from 'vitest';
import { countUnreadable, hasUnreadable, mergeUnreadable, unreadableText } from '../../src/insights/unreadable.ts';

test('unreadable values are counted by kind, in words and numbers', () => {
  const counts = countUnreadable(['dates', 'amounts', 'dates', 'amounts', 'amounts']);
  expect(counts).toEqual({ amounts: 3, dates: 2 });
  expect(unreadableText(counts)).toBe('3 amounts and 2 dates could not be read');
  expect(unreadableText({ statuses: 1 })).toBe('1 status could not be read');
  expect(unreadableText({ currencies: 1, products: 2, orders: 1 })).toBe(
    '1 order, the products of 2 orders and 1 currency could not be read',
  );
});

test('counts are added, and a count of 0 is not unreadable', () => {
  expect(mergeUnreadable({ dates: 1 }, { dates: 2, posts: 1 }, {})).toEqual({ dates: 3, posts: 1 });
  expect(hasUnreadable({})).toBe(false);
  expect(hasUnreadable({ dates: 0 })).toBe(false);
  expect(hasUnreadable({ lessons: 1 })).toBe(true);
  expect(unreadableText({})).toBe('');
});
