import { expect, test } from 'vitest';
import { at, type Row, row, rows } from '../support/academy.ts';
import { connectTo, names, startAccounts, textOf, tokens, variables } from '../support/accounts.ts';
import { talkHere } from '../support/command-line.ts';
import { eras } from '../support/eras.ts';
import { startHttp } from '../support/http-server.ts';
import { callOf, hello, messagesIn } from '../support/program.ts';
import { propertiesOf } from '../support/whole-rows.ts';

const schemaOf = (tools: readonly { name: string; inputSchema: object }[], name: string): Row =>
  row(tools.find((tool) => tool.name === name)?.inputSchema);

test('with several accounts every tool requires an account, out of those of the caller', async () => {
  const { url } = await startAccounts();
  for (const era of eras) {
    const client = await era.connect({ url, token: tokens.both });
    const { tools } = await client.listTools();
    expect(at(tools, 0).name, era.name).toBe('list_accounts');
    for (const { name, inputSchema } of tools.slice(1)) {
      expect(propertiesOf({ ...inputSchema }).account, name).toMatchObject({ type: 'string', enum: names });
      expect(row({ ...inputSchema }).required, name).toContain('account');
    }
    expect(JSON.stringify((await client.listTools()).tools)).toBe(JSON.stringify(tools));
  }
});

test('with one account the list is the same bytes as that of a server for one account', async () => {
  const { url } = await startAccounts();
  const plain = await startHttp();
  const alone = await (await connectTo(plain.url, undefined)).listTools();
  for (const token of [tokens.north, tokens.south]) {
    const client = await connectTo(url, token);
    expect(JSON.stringify((await client.listTools()).tools)).toBe(JSON.stringify(alone.tools));
    expect((await client.call('get_account')).isError).toBeFalsy();
    expect(textOf(await client.call('get_account', { account: 'north' }))).toContain('unknown argument "account"');
    await expect(client.call('list_accounts')).rejects.toThrow('Unknown tool: list_accounts');
  }
});

test('a call goes to the account that it names', async () => {
  const { url } = await startAccounts();
  const client = await connectTo(url, tokens.both);
  await client.listTools();
  for (const account of names) {
    const { structuredContent } = await client.call('get_account', { account });
    expect(row(structuredContent?.account).subdomain).toBe(account);
    const single = await connectTo(url, tokens[account]);
    expect(row((await single.call('get_account')).structuredContent?.account).subdomain).toBe(account);
  }
});

test('a call without an account, or with an unknown one, names the accounts and sends nothing', async () => {
  const { url, app } = await startAccounts();
  const client = await connectTo(url, tokens.both);
  expect(textOf(await client.call('get_account'))).toMatch(
    /^invalid_input: account is required: one of north, south. Nothing was sent/,
  );
  expect(textOf(await client.call('update_lesson', { lesson_id: 1, title: 'x' }))).toMatch(/\nOutcome: not_applied$/);
  for (const account of ['west', 'NORTH', '', 7, ['north'], null]) {
    const { isError, ...answer } = await client.call('get_account', { account });
    expect(isError).toBe(true);
    expect(textOf(answer)).toMatch(/^invalid_input: account must be one of north, south/);
  }
  expect(app.budgets()).toEqual([]);
});

test('list_accounts names the accounts of the caller without a request', async () => {
  const { url, app } = await startAccounts({
    fields: { south: { timezone: 'Europe/Lisbon', read_only: true, toolsets: ['account', 'orders'] } },
  });
  const client = await connectTo(url, tokens.both);
  await client.listTools();
  const answer = await client.call('list_accounts');
  expect(answer.structuredContent).toEqual({
    accounts: [
      { name: 'north', timezone: 'UTC', read_only: false },
      { name: 'south', timezone: 'Europe/Lisbon', read_only: true, toolsets: ['account', 'orders'] },
    ],
  });
  for (const name of [...names, 'Europe/Lisbon']) expect(textOf(answer)).toContain(name);
  expect(textOf(await client.call('list_accounts', { account: 'north' }))).toContain('unknown argument "account"');
  expect(app.budgets()).toEqual([]);
});

test('the list is the union of what the accounts allow, and a call of another account is refused in words', async () => {
  const { url } = await startAccounts({
    fields: { north: { read_only: true }, south: { toolsets: ['account', 'courses', 'orders'] } },
  });
  const client = await connectTo(url, tokens.both);
  const { tools } = await client.listTools();
  const enumOf = (name: string) => row(propertiesOf(schemaOf(tools, name)).account).enum;
  expect(enumOf('list_orders')).toEqual(names);
  expect(enumOf('list_students')).toEqual(['north']);
  expect(enumOf('update_lesson')).toEqual(['south']);
  expect(tools.map(({ name }) => name)).not.toContain('enroll_student');
  const write = await client.call('update_lesson', { account: 'north', lesson_id: 1, title: 'x' });
  expect(textOf(write)).toBe(
    'read_only: update_lesson is not available in the account north: its read-only mode, toolsets or missing events exclude it. Nothing was changed.\n' +
      'Hint: It is available in south.\nOutcome: not_applied',
  );
  expect(textOf(await client.call('list_students', { account: 'south' }))).toBe(
    'forbidden: list_students is not available in the account south: its read-only mode, toolsets or missing events exclude it.\n' +
      'Hint: It is available in north.',
  );
});

test('confirm has the schema of every policy in use, and each account checks its own', async () => {
  const { url } = await startAccounts({ fields: { north: { confirm: 'preview' } } });
  const client = await connectTo(url, tokens.both);
  const { tools } = await client.listTools();
  const confirm = row(propertiesOf(schemaOf(tools, 'unenroll_student')).confirm);
  expect(rows(confirm.anyOf).map(({ type }) => type)).toEqual(['string', 'boolean']);
  const { structuredContent } = await client.call('list_students', { account: 'south' });
  const { email } = at(rows(structuredContent?.students), 0);
  const call = (account: string, more = {}) => client.call('unenroll_student', { account, email, name: 'A', ...more });
  expect(textOf(await call('south'))).toMatch(/^confirmation_required: Account: south\n/);
  expect((await call('south', { confirm: true })).isError).toBeFalsy();
  expect(textOf(await call('north', { confirm: true }))).toContain('confirm must be text');
});

test('a server on stdin and stdout opens every account', async () => {
  const { file } = await startAccounts();
  const messages = [...hello, { id: 2, method: 'tools/list' }, callOf(3, 'get_account', { account: 'south' })];
  const environment = { ACADEMY_ACCOUNTS_FILE: file, ACADEMY_RATE_LIMIT: 'off', ...variables };
  const { code, stdout, stderr } = await talkHere(messages, environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [greeting, listed, called] = messagesIn(stdout).toSorted(({ id: one = 0 }, { id: other = 0 }) => one - other);
  expect(greeting?.result?.serverInfo).toMatchObject({ title: 'north, south' });
  expect(rows(listed?.result?.tools).map(({ name }) => name)).toContain('list_accounts');
  expect(JSON.stringify(called?.result)).toContain('"subdomain":"south"');
});

test('the title names the academy without a request', async () => {
  const { url } = await startAccounts();
  const titleAt = async (address: string, token: string | undefined, isModern: boolean) =>
    (await connectTo(address, token, { isModern })).title();
  const plain = await startHttp();
  for (const isModern of [false, true]) {
    expect(await titleAt(url, tokens.both, isModern)).toBe('north, south');
    expect(await titleAt(url, tokens.south, isModern)).toBe('south');
    expect(await titleAt(plain.url, undefined, isModern)).toBe(new URL(plain.sandbox.url).host);
  }
});

test('with one account nothing about resources and prompts changes', async () => {
  const { url } = await startAccounts();
  const [plain, single] = [await connectTo((await startHttp()).url, undefined), await connectTo(url, tokens.north)];
  expect(await single.listResources()).toEqual(await plain.listResources());
  expect(await single.listTemplates()).toEqual(await plain.listTemplates());
  expect(await single.listPrompts()).toEqual(await plain.listPrompts());
  expect(single.instructions()).toBe(plain.instructions());
  expect((await single.read('academy://account')).contents[0]?.text).toContain('north');
});

test('with several accounts there are no resources, templates, prompts and completions', async () => {
  const { url } = await startAccounts();
  for (const isModern of [false, true]) {
    const client = await connectTo(url, tokens.both, { isModern });
    expect((await client.listTools()).tools.length).toBeGreaterThan(30);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listTemplates()).resourceTemplates).toEqual([]);
  }
  const client = await connectTo(url, tokens.both);
  const own = ['academy://account', 'academy://north/exports/AAAAAAAAAAAAAAAAAAAAAA', 'other://north/account'];
  const ofAccounts = [...names, 'west'].flatMap((name) => [`academy://${name}/account`, `academy://${name}/events`]);
  for (const uri of [...own, ...ofAccounts])
    await expect(client.read(uri), uri).rejects.toThrow(`Unknown resource: ${uri}`);
  await expect(client.getPrompt('weekly_report', { account: 'south' })).rejects.toThrow('Method not found');
  const uri = 'academy://south/courses/{course_id}/structure';
  const argument = { name: 'course_id', value: '' };
  await expect(client.complete({ ref: { type: 'ref/resource', uri }, argument })).rejects.toThrow('Method not found');
  const single = await connectTo(url, tokens.north);
  await expect(single.read('academy://south/account')).rejects.toThrow('Unknown resource: academy://south/account');
});

test('with several accounts the link of an export is read from the account that made it', async () => {
  const { url } = await startAccounts({ settings: { ACADEMY_MIRROR: 'memory' } });
  const client = await connectTo(url, tokens.both);
  const { resourceTemplates } = await client.listTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['academy://{account}/exports/{id}']);
  const answer = await client.call('export_data', { account: 'north', sql: 'SELECT 1 AS one' });
  const [link = ''] = /academy:\/\/north\/exports\/[\w-]+/.exec(JSON.stringify(answer)) ?? [];
  expect((await client.read(link)).contents).toMatchObject([{ uri: link, text: '\uFEFF"one"\r\n1\r\n' }]);
  const foreign = link.replace('north', 'south');
  await expect(client.read(foreign)).rejects.toThrow(`Unknown resource: ${foreign}`);
});
