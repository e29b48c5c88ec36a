import { expect, test } from 'vitest';
import { row, rows } from '../support/academy.ts';
import { connectTo, startAccounts, textOf, tokens } from '../support/accounts.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { temporaryFile } from '../support/sandbox.ts';

const audience = 'https://mcp.example.com/mcp';
const price = { product_type: 'course', id_or_slug: '5', price: '123.00' };

async function places(): Promise<string[]> {
  return ['memory', await temporaryFile('journal.jsonl')];
}

test('a caller sees and undoes only the changes of the accounts that are open to it', async () => {
  for (const place of await places()) {
    const { url } = await startAccounts({ settings: { ACADEMY_JOURNAL: place } });
    const both = await connectTo(url, tokens.both);
    const written = await both.call('update_product', { ...price, account: 'north' });
    const change = String(row(written.structuredContent).change_id);
    const south = await connectTo(url, tokens.south);
    expect(row((await south.call('list_changes')).structuredContent)).toMatchObject({ total: 0 });
    expect(textOf(await south.call('undo_change', { change_ids: [change] }))).toMatch(/^not_found/);
    const asSouth = await both.call('undo_change', { change_ids: [change], account: 'south' });
    expect(textOf(asSouth)).toMatch(/^not_found/);
    const north = await connectTo(url, tokens.north);
    expect(rows(row((await north.call('list_changes')).structuredContent).changes)).toMatchObject([
      { change_id: change },
    ]);
    const undone = await north.call('undo_change', { change_ids: [change], confirm: true });
    expect(row(undone.structuredContent), textOf(undone)).toMatchObject({ totals: { undone: 1 } });
  }
});

test('an undo needs the scope of what it undoes', async () => {
  const provider = await startIdentityProvider();
  const oauth = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const { url } = await startAccounts({ settings: { ...oauth, ACADEMY_JOURNAL: 'memory' } });
  const connectWith = async (scope: string) =>
    await connectTo(url, await provider.issue({ aud: audience, academy_accounts: 'north', scope }));
  const all = await connectWith('academy:read academy:write academy:access');
  const granted = await all.call('enroll_student', { email: 'new@example.com', name: 'New', course_id: 3 });
  const change_ids = [row(granted.structuredContent).change_id];
  const writer = await connectWith('academy:read academy:write');
  expect(textOf(await writer.call('undo_change', { change_ids }))).toContain('may not do this itself');
  const reader = await connectWith('academy:read');
  expect(row((await reader.call('list_changes')).structuredContent)).toMatchObject({ total: 1 });
  expect(textOf(await reader.call('undo_change', { change_ids }))).toMatch(/^read_only/);
});

test('an undo by conversation or since takes only changes of the same caller', async () => {
  const { url } = await startAccounts({ settings: { ACADEMY_JOURNAL: 'memory' } });
  const one = await connectTo(url, tokens.both);
  await one.call('update_product', { ...price, account: 'north' });
  const other = await connectTo(url, tokens.north);
  for (const question of [{ conversation: true }, { since: '2020-01-01' }])
    expect(textOf(await other.call('undo_change', question))).toContain('nothing can be undone');
  expect(textOf(await one.call('undo_change', { since: '2020-01-01', account: 'north' }))).toContain('1 step');
});
