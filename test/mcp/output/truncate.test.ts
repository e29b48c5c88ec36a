import { expect, test } from 'vitest';
import { truncate } from '../../../src/mcp/output/truncate.ts';
import { withNotes } from '../../../src/mcp/output/write-notes.ts';
import { mapAnswer } from '../../../src/mcp/tool.ts';

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

test('the answer of a write that is cut has the notes about the write too', () => {
  const taken = Array.from({ length: 2_000 }, (_, order) => ({ order, date: '2026-01-01' }));
  const answer = (most: number) => ({
    summary: 'Took it.',
    data: { outcome: 'applied', taken: taken.slice(0, most) },
    shown: most,
    how: 'read on',
  });
  const acceptedFields = { outcome: 'outcome_unknown', unchanged: { name: 'Ana' }, decides: false } as const;
  const notes = [{ sent: true, text: 'not seen', acceptedFields }];
  const { text, data } = truncate(
    mapAnswer({ ...answer(2_000), cut: { records: 2_000, to: answer } }, (part) => withNotes(part, notes)),
  );
  expect(data).toMatchObject({ outcome: 'outcome_unknown', note: 'not seen', cut: expect.any(String) });
  expect(text).toMatch(/^The outcome is unknown/);
});
