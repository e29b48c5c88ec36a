import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { fullPrincipal } from '../../src/mcp/principal.ts';
import { createLegacyServer } from '../../src/protocol/legacy/server.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';
import { type Example, firstExamples, wholeAnswers } from './examples.ts';
import { codeBlock } from './markdown.ts';
import type { Parts } from './parts.ts';

/** The sandbox's data end at this time, so that the same seed always gives the same orders. */
const now = new Date('2026-11-20T12:00:00Z');

/** Answers with more lines stand folded. */
const maxOpen = 12;

async function connect(url: string, key: string) {
  const config = loadConfig({}, { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: key });
  const app = createApp({ config, ...catalog, log: createLogger('silent', [], { write: () => {} }), now: () => now });
  const server = createLegacyServer(app.serviceFor(fullPrincipal('docs'), { hasUserContent: false }));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'docs', version: '1.0.0' });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, close: () => client.close().then(() => app.close()) };
}

/** As the model reads it, but for the marks around text of members: no two answers have the same. */
function shown(text: string): string {
  const answer = codeBlock('text', text.replace(/untrusted-data-[0-9a-f]+/g, 'untrusted-data-…'));
  const lines = text.split('\n').length;
  if (lines <= maxOpen) return `**and reads:**\n\n${answer}`;
  return `<details>\n<summary><b>and reads</b> (${lines} lines)</summary>\n\n${answer}\n\n</details>`;
}

async function ask(client: Client, { question, tool, arguments: given }: Example, before: object) {
  const args = typeof given === 'function' ? given({ ...before }) : given;
  const { content, structuredContent } = await client.callTool({ name: tool, arguments: args });
  const [first] = Array.isArray(content) ? content : [];
  const text = [
    `**You:** ${question}`,
    `**The assistant calls** \`${tool}\`:`,
    codeBlock('json', JSON.stringify(args)),
    shown(String(first?.text)),
  ].join('\n\n');
  return { text, data: structuredContent ?? {} };
}

/** Real calls, answered by an embedded academy of their own: all together must fit its request limit. */
async function askAll(examples: readonly Example[]): Promise<string[]> {
  const sandbox = await startSandbox({ seed: 1, now });
  const { client, close } = await connect(sandbox.url, sandbox.apiKey);
  try {
    const answers: string[] = [];
    let before = {};
    for (const example of examples) {
      const { text, data } = await ask(client, example, before);
      answers.push(text);
      before = data;
    }
    return answers;
  } finally {
    await close();
    await sandbox.close();
  }
}

/** README: "What it looks like", and a part for each answer under "Whole answers". */
export async function transcripts(): Promise<Parts> {
  const [first, whole] = [await askAll(firstExamples), await askAll(wholeAnswers)];
  const answers = wholeAnswers.map(({ tool }, index) => [`answer of ${tool}`, whole[index] ?? '']);
  return { transcript: first.join('\n\n'), ...Object.fromEntries(answers) };
}
