import { expect, test } from 'vitest';
import { holdersIn, many, product, startClass, tool } from '../../support/class-academy.ts';
import { expectRefusal } from '../../support/refusal.ts';

test('a long list goes on with its cursor, as one change that can be undone', async () => {
  const { sandbox, call } = await startClass(['stays@x.example', 'gone@x.example'], [], { ACADEMY_JOURNAL: 'memory' });
  const csv = ['email,name', 'stays@x.example,', ...many(201).map((email, index) => `${email},S ${index}`)].join('\n');
  const asked = { product, csv, remove: 'missing', confirm: true };
  const first = (await call(tool, asked)).structured ?? {};
  expect(first.totals).toEqual({ applied: 200, already_there: 1, not_started: 2 });
  expect(first.next).toMatch(/^call again with next_cursor/);
  expect(String(first.next_cursor).length).toBeLessThanOrEqual(120);
  expectRefusal(await call(tool, { ...asked, product: 'course 2', cursor: first.next_cursor }), 'invalid_input');
  const second = (await call(tool, { ...asked, cursor: first.next_cursor })).structured ?? {};
  expect(second.totals).toEqual({ applied: 1, already_there: 1, removed: 1 });
  expect(second.next_cursor).toBeUndefined();
  expect(second.change_id).toBe(first.change_id);
  expect(holdersIn(sandbox)).toHaveLength(202);
  const undone: unknown[] = [];
  let cursor: string | undefined;
  do {
    const asked = { change_ids: [first.change_id], confirm: true, ...(cursor === undefined ? {} : { cursor }) };
    const { structured = {} } = await call('undo_change', asked);
    undone.push(structured.totals);
    cursor = /cursor "([^"]+)"/.exec(String(structured.next))?.[1];
  } while (cursor !== undefined && undone.length < 9);
  expect(undone).toEqual([{ undone: 100 }, { undone: 100 }, { undone: 2 }]);
  expect(holdersIn(sandbox)).toEqual(['gone@x.example', 'stays@x.example']);
}, 60_000);

test('a cursor with other arguments, or of a plan for another list, applies nothing of that plan', async () => {
  const { sandbox, call } = await startClass();
  const list = (name: string) =>
    ['email,name', ...many(201).map((email) => `${name}.${email},${name} ${email}`)].join('\n');
  const cursors: unknown[] = [];
  for (const name of ['a', 'b']) {
    cursors.push((await call(tool, { product, csv: list(name), confirm: true })).structured?.next_cursor);
  }
  const [, other] = cursors;
  expectRefusal(await call(tool, { product, csv: list('a'), cursor: other, confirm: true }), 'invalid_input');
  expect(holdersIn(sandbox)).toHaveLength(400);
}, 60_000);
