import { expect, test } from 'vitest';
import { truncate } from '../../../src/mcp/output/truncate.ts';

const undo_lessons = [{ lesson_id: 1, title: 'x'.repeat(255) }];
const next_cursor = 'c'.repeat(300);

test('texts are cut where an answer is too long, but never what is given back in a later call', () => {
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

test('where not even cut texts have room, what is given back is still there', () => {
  const texts = Array.from({ length: 2_000 }, () => 'y'.repeat(40));
  const { text, data } = truncate({
    summary: 'Long',
    data: { texts, undo_lessons, next_cursor },
    uncut: ['undo_lessons'],
  });
  expect(data).toEqual({ cut: expect.stringContaining('too long to show'), undo_lessons, next_cursor });
  expect(text).toContain(next_cursor);
});
