import { expect, test } from 'vitest';
import { at, rows } from '../support/academy.ts';
import { connectTo, names, startAccounts, tokens } from '../support/accounts.ts';
import { startHttp } from '../support/http-server.ts';

const structure = 'academy://{account}/courses/{course_id}/structure';

test('with several accounts an address names the account, and a template takes it as a variable', async () => {
  const { url } = await startAccounts();
  const client = await connectTo(url, tokens.both);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'academy://north/account',
    'academy://north/courses',
    'academy://south/account',
    'academy://south/courses',
  ]);
  const { resourceTemplates } = await client.listTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(structure);
  for (const { uriTemplate } of resourceTemplates) expect(uriTemplate).toMatch(/^academy:\/\/\{account\}\//);
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

test('a resource is read from the account that its address names', async () => {
  const { url } = await startAccounts();
  for (const isModern of [false, true]) {
    const client = await connectTo(url, tokens.both, { isModern });
    for (const account of names) {
      const uri = `academy://${account}/account`;
      const [content] = (await client.read(uri)).contents;
      expect(content?.uri).toBe(uri);
      expect(content?.text).toContain(account);
    }
    const { structuredContent } = await client.call('list_courses', { account: 'south' });
    const uri = `academy://south/courses/${at(rows(structuredContent?.courses), 0).id}/structure`;
    expect((await client.read(uri)).contents).toMatchObject([{ uri }]);
  }
});

test('an address without an account, or of an account that the caller has not, is unknown', async () => {
  const { url } = await startAccounts();
  const client = await connectTo(url, tokens.both);
  const single = await connectTo(url, tokens.north);
  for (const uri of ['academy://account', 'academy://west/account', 'academy://north/nothing', 'other://north/account'])
    await expect(client.read(uri), uri).rejects.toThrow(`Unknown resource: ${uri}`);
  await expect(single.read('academy://south/account')).rejects.toThrow('Unknown resource: academy://south/account');
  const missing = 'academy://south/courses/999999/structure';
  await expect(client.read(missing)).rejects.toMatchObject({ data: { uri: missing } });
});

test('every prompt takes an account and names it to the model', async () => {
  const { url } = await startAccounts();
  const client = await connectTo(url, tokens.both);
  const { prompts } = await client.listPrompts();
  expect(prompts.length).toBeGreaterThan(3);
  for (const prompt of rows(prompts))
    expect(at(rows(prompt.arguments), 0)).toMatchObject({ name: 'account', required: true });
  const { messages } = await client.getPrompt('weekly_report', { account: 'south' });
  expect(messages[0]?.content.text).toMatch(/Pass account: "south" in every call\.$/);
  await expect(client.getPrompt('weekly_report')).rejects.toThrow('account is required: one of north, south');
  await expect(client.getPrompt('weekly_report', { account: 'west' })).rejects.toThrow(
    'account must be one of north, south',
  );
  await expect(client.getPrompt('no_such_prompt', { account: 'south' })).rejects.toThrow('Unknown prompt');
});

test('completions come from the account that is filled in', async () => {
  const { url } = await startAccounts();
  const client = await connectTo(url, tokens.both);
  const valuesOf = async (uri: string, argument: { name: string; value: string }, account?: string) => {
    const context = account === undefined ? {} : { context: { arguments: { account } } };
    return (await client.complete({ ref: { type: 'ref/resource', uri }, argument, ...context })).completion.values;
  };
  expect(await valuesOf(structure, { name: 'account', value: '' })).toEqual(['north', 'south']);
  expect(await valuesOf(structure, { name: 'account', value: 'SOU' })).toEqual(['south']);
  expect(await valuesOf(structure, { name: 'course_id', value: '' })).toEqual([]);
  expect(await valuesOf(structure, { name: 'course_id', value: '' }, 'west')).toEqual([]);
  expect((await valuesOf(structure, { name: 'course_id', value: '' }, 'south')).length).toBeGreaterThan(1);
  await expect(valuesOf('academy://courses/{course_id}/structure', { name: 'course_id', value: '' })).rejects.toThrow(
    'No completions for academy://courses/{course_id}/structure',
  );
  const prompt = { type: 'ref/prompt', name: 'weekly_report' } as const;
  const { completion } = await client.complete({ ref: prompt, argument: { name: 'account', value: 'n' } });
  expect(completion.values).toEqual(['north']);
});

test('accounts complete only where they offer the prompt or template', async () => {
  const { url } = await startAccounts({ fields: { north: { toolsets: ['orders'] } } });
  const client = await connectTo(url, tokens.both);
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: structure },
    argument: { name: 'account', value: '' },
  });
  expect(completion.values).toEqual(['south']);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['academy://south/account', 'academy://south/courses']);
  await expect(client.read('academy://north/account')).rejects.toThrow('Unknown resource: academy://north/account');
});
