import { expect, test } from 'vitest';
import { connectTo, names, startAccounts, tokens } from '../support/accounts.ts';
import { startHttp } from '../support/http-server.ts';

test('with one account nothing about resources and prompts changes', async () => {
  const { url } = await startAccounts();
  const [plain, single] = [await connectTo((await startHttp()).url, undefined), await connectTo(url, tokens.north)];
  expect(await single.listResources()).toEqual(await plain.listResources());
  expect(await single.listTemplates()).toEqual(await plain.listTemplates());
  expect(await single.listPrompts()).toEqual(await plain.listPrompts());
  expect(single.instructions()).toBe(plain.instructions());
  expect((await single.read('academy://account')).contents[0]?.text).toContain('north');
});

test('with several accounts no resource and no template is listed', async () => {
  const { url } = await startAccounts();
  for (const isModern of [false, true]) {
    const client = await connectTo(url, tokens.both, { isModern });
    expect((await client.listTools()).tools.length).toBeGreaterThan(30);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listTemplates()).resourceTemplates).toEqual([]);
  }
});

test('with several accounts every address of a resource is unknown', async () => {
  const { url } = await startAccounts();
  const client = await connectTo(url, tokens.both);
  const own = ['academy://account', 'academy://north/exports/AAAAAAAAAAAAAAAAAAAAAA', 'other://north/account'];
  const ofAccounts = [...names, 'west'].flatMap((name) => [
    `academy://${name}/account`,
    `academy://${name}/courses/1/structure`,
    `academy://${name}/events`,
  ]);
  for (const uri of [...own, ...ofAccounts])
    await expect(client.read(uri), uri).rejects.toThrow(`Unknown resource: ${uri}`);
  const single = await connectTo(url, tokens.north);
  await expect(single.read('academy://south/account')).rejects.toThrow('Unknown resource: academy://south/account');
});

test('with several accounts every prompt is unknown, and nothing is completed', async () => {
  const { url } = await startAccounts();
  const client = await connectTo(url, tokens.both);
  await expect(client.getPrompt('weekly_report', { account: 'south' })).rejects.toThrow('Method not found');
  const uri = 'academy://south/courses/{course_id}/structure';
  const argument = { name: 'course_id', value: '' };
  await expect(client.complete({ ref: { type: 'ref/resource', uri }, argument })).rejects.toThrow('Method not found');
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
