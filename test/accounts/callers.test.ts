import { expect, test } from 'vitest';
import { at, row, rows } from '../support/academy.ts';
import { connectTo, names, startAccounts, textOf, tokens } from '../support/accounts.ts';
import { callMessage, initialize, openSession, post } from '../support/http-server.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { temporaryFile } from '../support/sandbox.ts';
import { propertiesOf } from '../support/whole-rows.ts';

const audience = 'https://mcp.example.com/mcp';
const scope = 'academy:read academy:write academy:access';

async function startProtected(more: Record<string, string> = {}) {
  const provider = await startIdentityProvider();
  const oauth = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const server = await startAccounts({ settings: { ...oauth, ...more } });
  const tokenFor = (claims: Record<string, unknown>) => provider.issue({ aud: audience, scope, ...claims });
  return { ...server, tokenFor };
}

test('without a token of the file no account can be used', async () => {
  const { url } = await startAccounts();
  expect((await post(url, initialize)).status).toBe(401);
  const { status } = await post(url, initialize, { authorization: 'Bearer token-that-nobody-has-0000' });
  expect(status).toBe(401);
});

test('without callers and OAuth this machine opens every account', async () => {
  const { url } = await startAccounts({ callers: [] });
  const client = await connectTo(url, undefined);
  const [, tool] = (await client.listTools()).tools;
  expect(propertiesOf(row({ ...tool?.inputSchema })).account).toMatchObject({ enum: names });
});

test('an OAuth token opens the accounts that its claim names', async () => {
  const { url, tokenFor } = await startProtected();
  const open = async (academy_accounts: unknown) => {
    const client = await connectTo(url, await tokenFor({ academy_accounts }));
    return (await client.listTools()).tools.map(({ name }) => name);
  };
  for (const claim of [names, 'south north', ['north', 'south', 'of-another-server']])
    expect(await open(claim)).toContain('list_accounts');
  for (const claim of [['south'], 'south']) expect(await open(claim)).not.toContain('list_accounts');
  const client = await connectTo(url, await tokenFor({ academy_accounts: ['south'] }));
  expect(row((await client.call('get_account')).structuredContent?.account).subdomain).toBe('south');
});

test('an OAuth token that names no account is refused, and the log says why', async () => {
  const { url, tokenFor, log } = await startProtected();
  for (const academy_accounts of [undefined, [], 'west', { north: true }, 7]) {
    const { status, text, headers } = await post(url, initialize, {
      authorization: `Bearer ${await tokenFor({ academy_accounts })}`,
    });
    expect(status).toBe(403);
    expect(text).toContain('The access token names no account of this server');
    expect(text).not.toContain('north');
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  }
  expect(log.join('')).toContain('"check":"accounts"');
});

test('a session stays with the accounts that opened it', async () => {
  const { url, tokenFor } = await startProtected();
  const [one, both] = [await tokenFor({ academy_accounts: 'north' }), await tokenFor({ academy_accounts: names })];
  const session = await openSession(url, { authorization: `Bearer ${one}` });
  const call = callMessage(2, 'get_account');
  expect((await post(url, call, session)).status).toBe(200);
  expect((await post(url, call, { ...session, authorization: `Bearer ${both}` })).status).toBe(404);
});

test('scopes count for every account', async () => {
  const { url, tokenFor } = await startProtected();
  const token = await tokenFor({ academy_accounts: names, scope: 'academy:read' });
  const client = await connectTo(url, token);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('update_lesson');
  const answer = await client.call('update_lesson', { account: 'south', lesson_id: 1, title: 'x' });
  expect(textOf(answer)).toMatch(/^read_only: update_lesson needs the scope academy:write/);
});

test('what a person consents to names the account, in both versions of the protocol', async () => {
  const { url } = await startAccounts();
  for (const isModern of [false, true]) {
    const questions: string[] = [];
    const person = (question: string) => {
      questions.push(question);
      return { action: 'accept', agree: true } as const;
    };
    const client = await connectTo(url, tokens.both, { person, isModern });
    const { structuredContent } = await client.call('list_students', { account: 'south' });
    const { email } = at(rows(structuredContent?.students), isModern ? 1 : 0);
    const call = { account: 'south', email, name: 'A', confirm: true };
    expect((await client.call('unenroll_student', call)).isError).toBeFalsy();
    expect(questions.length).toBe(1);
    expect(questions[0]).toMatch(/^Account: south\n/);
  }
});

test('the server is ready until every account refuses its key', async () => {
  const { url, origin } = await startAccounts({
    settings: { ACADEMY_KEY_NORTH: 'a-key-that-is-wrong' },
  });
  const client = await connectTo(url, tokens.both);
  const refused = [
    textOf(await client.call('get_account', { account: 'north' })),
    textOf(await (await connectTo(url, tokens.north)).call('get_account')),
  ];
  for (const text of refused) {
    expect(text).toMatch(/^unauthorized:/);
    // Neither can be set beside an accounts file.
    expect(text).not.toMatch(/ACADEMY_(BASE_URL|API_KEY)/);
    expect(text).toContain('base_url in the accounts file');
  }
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  expect((await client.call('get_account', { account: 'south' })).isError).toBeFalsy();
  const wrong = { ACADEMY_KEY_NORTH: 'a-key-that-is-wrong', ACADEMY_KEY_SOUTH: 'another-key-that-is-wrong' };
  const none = await startAccounts({ settings: wrong });
  const other = await connectTo(none.url, tokens.both);
  for (const account of names) await other.call('get_account', { account });
  expect((await fetch(`${none.origin}/readyz`)).status).toBe(503);
});

test('/metrics has every measurement for each account', async () => {
  const { url, origin } = await startAccounts({ settings: { ACADEMY_RATE_LIMIT: '60' } });
  const client = await connectTo(url, tokens.both);
  await client.call('get_account', { account: 'south' });
  await client.call('list_courses', { account: 'south' });
  await client.call('get_account', { account: 'north' });
  const text = await (await fetch(`${origin}/metrics`)).text();
  const lines = text.split('\n').filter((line) => /^academy_mcp_(tool_calls|api_requests)_total/.test(line));
  expect(lines.sort()).toEqual([
    'academy_mcp_api_requests_total{account="north",operation="account.getAccount",status="200"} 1',
    'academy_mcp_api_requests_total{account="south",operation="account.getAccount",status="200"} 1',
    'academy_mcp_api_requests_total{account="south",operation="courses.listCourses",status="200"} 1',
    'academy_mcp_tool_calls_total{account="north",tool="get_account",code="ok"} 1',
    'academy_mcp_tool_calls_total{account="south",tool="get_account",code="ok"} 1',
    'academy_mcp_tool_calls_total{account="south",tool="list_courses",code="ok"} 1',
  ]);
  for (const account of names) expect(text).toContain(`academy_mcp_api_budget_limit{account="${account}"} 54`);
});

const price = { product_type: 'course', id_or_slug: '5', price: '123.00' };

test('a caller sees and undoes only the changes of the accounts that are open to it', async () => {
  for (const place of ['memory', await temporaryFile('journal.jsonl')]) {
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
  const { url, tokenFor } = await startProtected({ ACADEMY_JOURNAL: 'memory' });
  const connectWith = async (scope: string) =>
    await connectTo(url, await tokenFor({ academy_accounts: 'north', scope }));
  const all = await connectWith(scope);
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
    expect(textOf(await other.call('undo_change', question))).toContain('no change was chosen');
  expect(textOf(await one.call('undo_change', { since: '2020-01-01', account: 'north' }))).toContain('1 step');
});
