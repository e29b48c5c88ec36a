import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../support/built.ts';
import { connect } from '../support/connect.ts';

const base = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'sandbox-admin-key' };

async function connectBuilt(environment: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env: environment }));
  return client;
}

/** All that a client reads before its first call, as text: the order of keys counts. */
async function listsOf(client: Client): Promise<string[]> {
  const lists = [
    client.getServerCapabilities(),
    client.getInstructions(),
    await client.listTools(),
    await client.listPrompts(),
    await client.listResources(),
    await client.listResourceTemplates(),
  ];
  return lists.map((list) => JSON.stringify(list));
}

const variants: Record<string, string>[] = [
  {},
  { ACADEMY_CONFIRM: 'preview' },
  { ACADEMY_LOCKDOWN: 'true', ACADEMY_REQUIRE_INTERACTION: 'off' },
  { ACADEMY_CONFIRM: 'preview', ACADEMY_LOCKDOWN: 'true' },
  { ACADEMY_READ_ONLY: 'true' },
];

test.for(variants)('the built program lists byte for byte what the definitions give: %o', async (settings) => {
  const built = await connectBuilt({ ...base, ...settings });
  const { client: computed } = await connect({ ...base, ...settings });
  expect(await listsOf(built)).toEqual(await listsOf(computed));
});
