import { expect, test } from 'vitest';
import { row, rows } from '../support/academy.ts';
import { connectTo, names, startAccounts, textOf, tokens } from '../support/accounts.ts';
import { type EraClient, eras } from '../support/eras.ts';
import { inBatches, webhookSecret } from '../support/events.ts';
import { markOf, startMarkedAccounts } from '../support/marked-accounts.ts';
import { temporaryFile } from '../support/sandbox.ts';

const settings = { ACADEMY_WEBHOOK_SECRET: webhookSecret };
const student = (name: string) => ({ id: 7, name, email: `${name}@example.net` });

async function eventsOf(client: EraClient, args: Record<string, unknown> = {}) {
  const answer = await client.call('list_recent_events', args);
  expect(answer.isError, textOf(answer)).toBeFalsy();
  return rows(answer.structuredContent?.events ?? []);
}

test('an event reaches only the account that its address names', async () => {
  const { url, postTo } = await startAccounts({ settings, pace: 1 });
  expect((await postTo('north', 'new_student', student('nora'))).status).toBe(202);
  expect((await postTo('south', 'new_student', student('sam'))).status).toBe(202);
  const both = await connectTo(url, tokens.both);
  for (const [name, person] of [
    ['north', 'nora'],
    ['south', 'sam'],
  ] as const) {
    const seen = [await eventsOf(both, { account: name }), await eventsOf(await connectTo(url, tokens[name]))];
    for (const events of seen) {
      expect(JSON.stringify(events)).toContain(`${person}@example.net`);
      expect(events).toHaveLength(1);
    }
  }
});

test('the secret of one account opens no address of the other, and neither does the one of the program', async () => {
  const { postTo, secretOf, origin } = await startAccounts({ settings });
  expect(secretOf('north')).not.toBe(secretOf('south'));
  const unknown = await fetch(`${origin}/nowhere`, { method: 'POST' });
  const expected = [unknown.status, await unknown.text()];
  for (const secret of [secretOf('north'), webhookSecret, '']) {
    const refused = await postTo('south', 'new_student', student('nora'), secret);
    expect([refused.status, await refused.text()]).toEqual(expected);
  }
});

test('checks read the academy of their account alone, with its key and within its own limit', async () => {
  const fields = { north: { rate_limit: 60 }, south: { rate_limit: 20 } };
  const { postTo, proxies, url } = await startMarkedAccounts({ settings, fields });
  const client = await connectTo(url, tokens.both);
  for (let number = 1; number <= 20; number += 1) await postTo('north', 'new_order', { id: `forged${number}` });
  await expect.poll(() => proxies.north.requests.length).toBeGreaterThan(5);
  expect(proxies.south.requests).toEqual([]);
  expect(proxies.north.requests.every(({ path }) => path.startsWith('/api/v1/orders/forged'))).toBe(true);
  const { _meta } = row({ ...(await client.call('list_recent_events', { account: 'south' })) });
  expect(row(_meta)['academy/budget']).toMatchObject({ requests: 0 });
});

test('events are checked without any caller, also those that a restart left unchecked', async () => {
  const file = await temporaryFile('events.jsonl');
  const events = { ACADEMY_EVENTS_FILE: file, ...settings };
  const down = await startAccounts({ settings: events, addresses: { north: 'http://127.0.0.1:9' } });
  await down.postTo('north', 'new_order', { id: 'forged1' });
  await down.drain();
  const { proxies } = await startMarkedAccounts({ settings: events });
  await expect.poll(() => proxies.north.requests.length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(proxies.north.requests[0]?.path).toBe('/api/v1/orders/forged1');
  expect(proxies.south.requests).toEqual([]);
});

test('the tool names only the accounts with events', async () => {
  const fields = { north: { webhook_secret_env: 'WEBHOOKS_OF_NORTH' } };
  const { url, postTo } = await startAccounts({ settings: { WEBHOOKS_OF_NORTH: webhookSecret }, fields, pace: 1 });
  expect((await postTo('north', 'new_student', student('nora'), webhookSecret)).status).toBe(202);
  const client = await connectTo(url, tokens.both);
  const tool = (await client.listTools()).tools.find(({ name }) => name === 'list_recent_events');
  expect(row(row(tool?.inputSchema).properties).account).toMatchObject({ enum: ['north'] });
  const refused = textOf(await client.call('list_recent_events', { account: 'south' }));
  expect(refused).toMatch(/^forbidden: list_recent_events is not available in the account south: /);
  expect(refused).toContain('It is available in north.');
  expect((await client.listResources()).resources).toEqual([]);
  await expect(client.read('academy://north/events')).rejects.toThrow('Unknown resource: academy://north/events');
  const single = await connectTo(url, tokens.south);
  expect((await single.listTools()).tools.map(({ name }) => name)).not.toContain('list_recent_events');
});

for (const era of eras) {
  test(`${era.name} hears of the events of the accounts that its token opens, and of no other`, async () => {
    const { url, postTo } = await startMarkedAccounts({ settings });
    const watch = async (token: string, uris: string[]) => {
      const client = await era.connect({ url, token });
      const heard: string[] = [];
      for (const uri of uris) await client.watch(uri, (updated) => heard.push(updated));
      return { client, heard };
    };
    const own = 'academy://events/new_order';
    const [north, south] = [await watch(tokens.north, [own]), await watch(tokens.south, [own])];
    // The account of a forged order is read, so the event is announced once its check has had its time.
    await postTo('south', 'new_order', { id: 'forged1' });
    await expect.poll(() => south.heard).toContain(own);
    await north.client.listTools();
    expect(north.heard).toEqual([]);
    await postTo('north', 'new_order', { id: 'forged2' });
    await expect.poll(() => north.heard).toContain(own);
  });

  test(`${era.name} cannot watch events of an account that its token does not open, or with several accounts`, async () => {
    const { url, postTo } = await startAccounts({ settings });
    const heard: string[] = [];
    for (const [token, uris] of [
      [tokens.north, ['academy://south/events', 'academy://north/events', 'academy://south/events/new_order']],
      [tokens.both, ['academy://events', 'academy://south/events']],
    ] as const) {
      const client = await era.connect({ url, token });
      for (const uri of uris) await client.watch(uri, (updated) => heard.push(updated)).catch(() => {});
    }
    const witness = await era.connect({ url, token: tokens.south });
    const witnessed: string[] = [];
    await witness.watch('academy://events', (updated) => witnessed.push(updated));
    await postTo('south', 'new_order', { id: 'forged1' });
    await expect.poll(() => witnessed).toContain('academy://events');
    await witness.listTools();
    expect(heard).toEqual([]);
  });
}

test('under lockdown, events of one account require confirmation for writes at every account', async () => {
  const { url, postTo } = await startAccounts({ settings: { ...settings, ACADEMY_LOCKDOWN: 'true' } });
  await postTo('north', 'new_student', student('nora'));
  const write = { account: 'south', lesson_id: 1001, title: 'New' };
  const client = await connectTo(url, tokens.both);
  expect((await client.call('update_lesson', write)).isError).toBeFalsy();
  await client.call('list_recent_events', { account: 'north' });
  expect(textOf(await client.call('update_lesson', write))).toMatch(/^confirmation_required: Account: south\n/);
});

test('the metrics count the events of each account, and the log names the account but no secret', async () => {
  const { origin, postTo, secretOf, log } = await startAccounts({ settings });
  await postTo('north', 'new_student', student('nora'));
  await postTo('south', 'new_order', {});
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toContain('academy_mcp_events_total{account="north",event="new_student",result="stored"} 1\n');
  expect(metrics).toContain('academy_mcp_events_total{account="south",event="new_order",result="refused"} 1\n');
  expect(metrics).toMatch(/^academy_mcp_events_unchecked\{account="south"\} 0$/m);
  await expect.poll(() => log.join('')).toContain('/webhooks/south/new_order/:secret');
  for (const name of names) expect(log.join('')).not.toContain(secretOf(name));
});

test('a flood of events at one account leaves the other its deliveries and its events', async () => {
  const { postTo, url } = await startMarkedAccounts({ settings });
  await postTo('south', 'new_student', student(`${markOf('south')}sam`));
  await inBatches(1_300, (index) => postTo('north', 'new_order', { id: `forged${index}` }));
  expect((await postTo('north', 'new_order', { id: 'late' })).status).toBe(429);
  expect((await postTo('south', 'new_order', { id: 'order1' })).status).toBe(202);
  const south = await connectTo(url, tokens.south);
  expect(JSON.stringify(await south.call('list_recent_events', { limit: 200 }))).not.toContain('forged');
});
