import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { fullPrincipal } from '../../src/mcp/principal.ts';
import { createLegacyServer } from '../../src/protocol/legacy/server.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';

/** A question of a person, and the call that answers it. */
export interface Example {
  question: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/** docs/task-tools.md: a finding with its fix. */
export const wholeAnswers: readonly Example[] = [
  {
    question: 'Zoé says that she cannot open “Bookkeeping for Freelancers”. Why?',
    tool: 'diagnose_access',
    arguments: { email: 'zoe.lefevre@example.net', product: 'Bookkeeping for Freelancers' },
  },
];

/** The sandbox's data end at this time, so that the same seed always gives the same orders. */
const now = new Date('2026-11-20T12:00:00Z');

/** More than all examples of a document need, so that none waits. */
const requestsPerMinute = 1_000;

/** A question with the call that was made and the text that came back. */
export interface Exchange {
  readonly question: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function connect(url: string, key: string) {
  const config = loadConfig(
    {},
    { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: key, ACADEMY_RATE_LIMIT: String(requestsPerMinute) },
  );
  const app = createApp({ config, ...catalog, log: createLogger('silent', [], { write: () => {} }), now: () => now });
  const server = createLegacyServer(app.serviceFor(fullPrincipal('docs'), { hasUserContent: false }));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'docs', version: '1.0.0' });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, close: () => client.close().then(() => app.close()) };
}

async function ask(client: Client, { question, tool, arguments: args }: Example): Promise<Exchange> {
  const { content } = await client.callTool({ name: tool, arguments: args });
  const [first] = Array.isArray(content) ? content : [];
  // No two answers have the same marks around text of members.
  const text = String(first?.text).replace(/untrusted-data-[0-9a-f]+/g, 'untrusted-data-…');
  return { question, tool, args, text };
}

/** Makes the calls one after the other, in an embedded academy of their own. */
export async function askAll(examples: readonly Example[]): Promise<Exchange[]> {
  const sandbox = await startSandbox({ seed: 1, now, rateLimit: requestsPerMinute });
  const { client, close } = await connect(sandbox.url, sandbox.apiKey);
  try {
    const exchanges: Exchange[] = [];
    for (const example of examples) exchanges.push(await ask(client, example));
    return exchanges;
  } finally {
    await close();
    await sandbox.close();
  }
}
