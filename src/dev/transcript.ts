import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { tools } from '../../tools/index.ts';
import { createApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { createLegacyServer } from '../legacy/server.ts';
import { createLogger } from '../logger.ts';
import { fullPrincipal } from '../mcp/principal.ts';
import { startSandbox } from '../sandbox/index.ts';
import { codeBlock } from './markdown.ts';

interface Example {
  question: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/** The sandbox's data end at this time, so that the same seed always gives the same orders. */
const now = new Date('2026-11-20T12:00:00Z');

const examples: readonly Example[] = [
  {
    question: 'Who bought something on the morning of 19 November?',
    tool: 'list_orders',
    arguments: { created_after: '2026-11-19T06:00:00Z', created_before: '2026-11-19T13:00:00Z', status: 'all' },
  },
  {
    question: 'Take course 13 away from Zoé.',
    tool: 'revoke_course',
    arguments: { email: 'zoe.lefevre@example.net', name: 'Zoé Lefèvre', course_id: 13 },
  },
];

async function connect(url: string, key: string) {
  const config = loadConfig({}, { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: key });
  const app = createApp({ config, tools, log: createLogger('silent', [], { write: () => {} }) });
  const server = createLegacyServer(app.serviceFor(fullPrincipal('docs'), { hasMemberText: false }));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'docs', version: '1.0.0' });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, close: () => client.close().then(() => app.close()) };
}

async function ask(client: Client, { question, tool, arguments: given }: Example): Promise<string> {
  const { content } = await client.callTool({ name: tool, arguments: given });
  const [first] = Array.isArray(content) ? content : [];
  return [
    `**You:** ${question}`,
    `**The assistant calls** \`${tool}\`:`,
    codeBlock('json', JSON.stringify(given)),
    '**and reads:**',
    codeBlock('text', String(first?.text)),
  ].join('\n\n');
}

/** README: "What it looks like": real calls, answered by the embedded academy. */
export async function transcript(): Promise<string> {
  const sandbox = await startSandbox({ seed: 1, now });
  const { client, close } = await connect(sandbox.url, sandbox.apiKey);
  try {
    const answers: string[] = [];
    for (const example of examples) answers.push(await ask(client, example));
    return answers.join('\n\n');
  } finally {
    await close();
    await sandbox.close();
  }
}
