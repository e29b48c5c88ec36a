import { appendFile, chmod, chown, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalInFile, purgeJournal } from '../../../src/api/writes/journal.ts';
import { connect, startAcademy, type ToolAnswer } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { call as request, start, temporaryFile } from '../../support/sandbox.ts';

const place = () => temporaryFile('journal.jsonl');
const price = { product_type: 'course', id_or_slug: '5', price: '123.00' };
const idOf = ({ structured }: ToolAnswer) => String(structured?.change_id);
const rowsOf = ({ structured }: ToolAnswer) => structured?.changes as Record<string, unknown>[];
const linesOf = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('a write has a line before it with the old values, and one after it with the new ones', async () => {
  const file = await place();
  const { call } = await startAcademy({}, { ACADEMY_JOURNAL: file });
  const { structured } = await call('update_product', price);
  const [sent, done, ...others] = await linesOf(file);
  expect(others).toEqual([]);
  expect(sent).toMatchObject({
    line: 'sent',
    change: structured?.change_id,
    caller: 'test',
    tool: 'update_product',
    operation: 'products.updateProduct',
    undo: 'restore',
    input: price,
    old: { values: { price: expect.stringMatching(/^\d/) } },
  });
  expect(done).toMatchObject({ line: 'done', part: sent?.part, outcome: 'applied', shown: { price: '123.00' } });
  expect(done?.request_id).toMatch(/\S/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a change is undone by another process that shares the file', async () => {
  const file = await place();
  const sandbox = await start({ rateLimit: 'off' });
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_JOURNAL: file };
  const [one, other] = [await connect(settings), await connect(settings)];
  const written = await one.call('update_product', price);
  const undone = await other.call('undo_change', { change_ids: [idOf(written)], confirm: true });
  expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 1 } });
  expect(rowsOf(await one.call('list_changes'))).toMatchObject([{ tool: 'undo_change' }, { undone: true }]);
});

test('the changes of another academy in the same file are not seen', async () => {
  const file = await place();
  const { call } = await startAcademy({}, { ACADEMY_JOURNAL: file });
  const written = await call('update_product', price);
  const other = await startAcademy({}, { ACADEMY_JOURNAL: file });
  expect((await other.call('list_changes')).structured).toMatchObject({ total: 0 });
  expect((await other.call('undo_change', { change_ids: [idOf(written)] })).text).toMatch(/^not_found/);
});

test('a line that a crash cut is counted, and the next one is whole', async () => {
  const file = await place();
  const { call } = await startAcademy({}, { ACADEMY_JOURNAL: file });
  await call('update_product', price);
  await appendFile(file, '{"line":"sent","cha');
  await call('update_product', { ...price, price: '124.00' });
  expect((await call('list_changes')).structured).toMatchObject({ total: 2, unreadable_lines: 1 });
});

test('a write whose outcome was never noted is looked for before anything is undone', async () => {
  const file = await place();
  const { call, sandbox } = await startAcademy({}, { ACADEMY_JOURNAL: file });
  const before = (await call('get_product', { product_type: 'course', id_or_slug: '5' })).structured;
  const { structured } = await call('update_product', price);
  const [sent] = await linesOf(file);
  // As after a kill between the two lines.
  await writeFile(file, `${JSON.stringify(sent)}\n`, { mode: 0o600 });
  const next = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_JOURNAL: file });
  expect(rowsOf(await next.call('list_changes'))).toMatchObject([{ outcome: 'applied' }]);
  const undone = await next.call('undo_change', { change_ids: [String(structured?.change_id)], confirm: true });
  expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 1 } });
  expect((await call('get_product', { product_type: 'course', id_or_slug: '5' })).structured).toEqual(before);
});

/** As after a kill between the two lines, a minute ago. */
async function cutLast(file: string): Promise<void> {
  const [sent] = await linesOf(file);
  await writeFile(file, `${JSON.stringify({ ...sent, at: Number(sent?.at) - 60_000 })}\n`, { mode: 0o600 });
}

test('the requests that look for a write count as those of the call', async () => {
  const file = await place();
  const { call, between, settings } = await startGuarded({ ACADEMY_JOURNAL: file });
  await call('update_product', price);
  await cutLast(file);
  // Listing the tools would make it look in the background.
  const next = await connect({ ...settings, ACADEMY_JOURNAL: file });
  await expect.poll(() => linesOf(file)).toHaveLength(2);
  await cutLast(file);
  const before = between.log.length;
  const { meta } = await next.call('list_changes');
  expect(meta['academy/budget']).toMatchObject({ requests: between.log.length - before });
  expect(between.log.length).toBeGreaterThan(before);
});

test('a write of unknown outcome is looked for once a client has connected, also if it was not applied', async () => {
  for (const outcome of ['applied', 'not_applied']) {
    const file = await place();
    const { call, sandbox } = await startAcademy({}, { ACADEMY_JOURNAL: file });
    await call('update_product', price);
    await cutLast(file);
    if (outcome === 'not_applied')
      await request(sandbox, 'PATCH', '/api/v1/products/course/5', { product: { price: '1.00' } });
    await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_JOURNAL: file });
    await expect.poll(() => linesOf(file)).toMatchObject([{ line: 'sent' }, { line: 'done', outcome, verified: true }]);
    // An update created nothing, although its record has an id.
    expect((await linesOf(file))[1]).not.toHaveProperty('created');
  }
});

test('a write that the journal cannot record is not sent', async () => {
  const { call, log } = await startAcademy({}, { ACADEMY_JOURNAL: '/proc/self/oom_score_adj' });
  const { text } = await call('update_product', price);
  expect(text).toMatch(/^journal_unavailable: the journal of changes cannot be written, so nothing was sent/);
  expect((await call('get_product', { product_type: 'course', id_or_slug: '5' })).text).not.toContain('123.00');
  expect(log.join('\n')).toContain('the journal of changes cannot be written');
});

test('a link, a file that others may change and a folder are refused at the start', async () => {
  const file = await place();
  await writeFile(file, '');
  await chmod(file, 0o666);
  expect(() => journalInFile(file)).toThrow(/ACADEMY_JOURNAL cannot be read: other users may change it/);
  await chmod(file, 0o600);
  await symlink(file, `${file}.link`);
  expect(() => journalInFile(`${file}.link`)).toThrow(/symbolic link/);
});

// Only root can give a file to somebody else.
test.runIf(process.getuid?.() === 0)('a file of another user is refused', async () => {
  const file = await place();
  await writeFile(file, '', { mode: 0o600 });
  await chown(file, 12_345, 12_345);
  expect(() => journalInFile(file)).toThrow(/belongs to another user \(12345\)/);
});

test('a full file makes room for a new one, and both are read', async () => {
  const file = await place();
  const journal = journalInFile(file, 300);
  for (const number of [1, 2, 3, 4]) await journal.append({ number, text: 'x'.repeat(100) });
  expect(journal.read().map((line) => line?.number)).toEqual([1, 2, 3, 4]);
  expect((await readdir(join(file, '..'))).length).toBeGreaterThan(1);
  await journal.close();
});

test('a purge deletes older lines, and a process that writes goes on', async () => {
  const file = await place();
  const journal = journalInFile(file);
  await journal.append({ at: 1_000, text: 'old' });
  await journal.append({ at: 3_000, text: 'new' });
  expect(await purgeJournal(file, 2_000)).toBe(1);
  await journal.append({ at: 4_000, text: 'newer' });
  expect(journal.read().map((line) => line?.text)).toEqual(['new', 'newer']);
  await journal.close();
});
