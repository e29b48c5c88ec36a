import { expect, test } from 'vitest';
import { truncate } from '../../../src/mcp/output/truncate.ts';

const undo_lessons = [{ lesson_id: 1, title: 'x'.repeat(255) }];
const next_cursor = 'c'.repeat(300);

test('the texts of a long answer are cut, except values that a later call sends back', () => {
  const texts = Array.from({ length: 200 }, () => 'y'.repeat(1_000));
  const { text, data } = truncate({
    summary: 'Long',
    data: { texts, undo_lessons, next_cursor },
    uncut: ['undo_lessons'],
  });
  expect(JSON.stringify(data).length).toBeLessThanOrEqual(40_000);
  expect(text).toContain('more characters left out');
  expect([data.undo_lessons, data.next_cursor]).toEqual([undo_lessons, next_cursor]);
});

test('if not even cut texts fit, the values that a later call sends back remain', () => {
  const texts = Array.from({ length: 2_000 }, () => 'y'.repeat(40));
  const { text, data } = truncate({
    summary: 'Long',
    data: { texts, undo_lessons, next_cursor },
    uncut: ['undo_lessons'],
  });
  expect(data).toEqual({ cut: expect.stringContaining('too long to show'), undo_lessons, next_cursor });
  expect(text).toContain(next_cursor);
});
