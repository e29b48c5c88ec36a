import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { tools } from '../../tools/index.ts';

export interface ToolAnswer {
  isError: boolean;
  text: string;
  structured: Record<string, unknown> | undefined;
  meta: Record<string, unknown>;
}

export interface Connection {
  client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** What the server logged, line by line. */
  log: string[];
}

export function readAnswer(result: CallToolResult): ToolAnswer {
  const [content] = result.content;
  return {
    isError: result.isError === true,
    text: content?.type === 'text' ? content.text : '',
    structured: result.structuredContent,
    meta: result._meta ?? {},
  };
}

/**
 * A real MCP client, connected to the real server, which uses the real HTTP client. `settings` are environment
 * variables. The client has seen tools/list, so that it checks every answer against its output schema.
 */
export async function connect(settings: Record<string, string>): Promise<Connection> {
  const config = loadConfig({}, { ACADEMY_API_KEY: 'sandbox-admin-key', LOG_LEVEL: 'debug', ...settings });
  const log: string[] = [];
  const logger = createLogger(config.logLevel, [config.apiKey], { write: (line) => log.push(line) });
  const app = createApp({ config, tools, log: logger });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1.0.0' });
  const server = app.createServer('test');
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  onTestFinished(async () => {
    await client.close();
    await app.close();
  });
  await client.listTools();
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    readAnswer((await client.callTool({ name, arguments: args })) as CallToolResult);
  return { client, call, log };
}

/** An embedded academy of its own for one test, and a client connected to a server for it. No limit unless asked for. */
export async function startAcademy(options: SandboxOptions = {}, settings: Record<string, string> = {}) {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 40, orders: 200, ...options });
  onTestFinished(() => sandbox.close());
  const connection = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ...settings });
  return { sandbox, ...connection };
}
