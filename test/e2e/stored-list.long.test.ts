import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { program, startHttpProgram } from '../support/program.ts';

const base = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'sandbox-admin-key' };

async function connectOver(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const overStdio = (env: Record<string, string>) =>
  connectOver(new StdioClientTransport({ command: process.execPath, args: [program], env }));

async function overHttp(environment: Record<string, string>): Promise<Client> {
  const { url } = await startHttpProgram({ environment });
  return await connectOver(new StreamableHTTPClientTransport(new URL(url)) as Transport);
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
  const environment = { ...base, ...settings };
  const { client: computed } = await connect(environment);
  const expected = await listsOf(computed);
  expect(await listsOf(await overStdio(environment))).toEqual(expected);
  expect(await listsOf(await overHttp(environment))).toEqual(expected);
});
