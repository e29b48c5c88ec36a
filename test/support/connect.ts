import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  type CallToolResult,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { EventFeed } from '../../src/events/event-feed.ts';
import type { Catalog } from '../../src/mcp/catalog.ts';
import { listDefinitions } from '../../src/mcp/describe-tool.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';
import { type Recorded, type Recorder, type Reply, startRecorder } from './recorder.ts';
import { serverFor } from './serve.ts';
import { sharedValidator } from './validator.ts';

export interface ToolAnswer {
  isError: boolean;
  text: string;
  structured: Record<string, unknown> | undefined;
  meta: Record<string, unknown>;
}

export interface Connection {
  client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** The lines that the server logged. */
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

/** The answer of the human at the client to an elicitation. */
export type Human = (question: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;

export interface ClientOptions {
  /** Lets the client support elicitation. */
  human?: Human;
  /** The caller that the server assumes for the client. */
  caller?: string;
}

/** Options of the program, not of a client. */
export interface ProgramOptions {
  /** The available tools; default: all of ours that the settings allow. */
  offered?: readonly Tool[];
  /** The clock that defines "today". */
  now?: () => Date;
  /** Without events, the tools that need them are not listed. */
  events?: EventFeed;
}

export interface Connected extends Connection {
  /** Another client of the same program, with its own conversation. */
  another(options?: ClientOptions): Promise<Pick<Connection, 'client' | 'call'>>;
}

/** The client has seen tools/list, so that it checks every answer against its output schema. */
async function open(app: App, { human, caller = 'test' }: ClientOptions) {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const capabilities = human === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, jsonSchemaValidator: sharedValidator });
  if (human !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => human(params));
  await Promise.all([serverFor(app, caller).connect(serverSide), client.connect(clientSide)]);
  onTestFinished(() => client.close());
  await client.listTools();
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    readAnswer((await client.callTool({ name, arguments: args })) as CallToolResult);
  return { client, call };
}

/** The catalog with these tools alone. */
function offeredCatalog(tools: readonly Tool[] | undefined): Catalog {
  if (tools === undefined) return catalog;
  return { ...catalog, tools, listing: listDefinitions({ ...catalog, tools }) };
}

/** A real MCP client, connected to the real server, which uses the real HTTP client. `settings` are environment variables. */
export async function connect(
  settings: Record<string, string>,
  { offered, now, events, ...options }: ClientOptions & ProgramOptions = {},
): Promise<Connected> {
  const config = loadConfig({}, { ACADEMY_API_KEY: 'sandbox-admin-key', LOG_LEVEL: 'debug', ...settings });
  const log: string[] = [];
  const logger = createLogger(config.logLevel, [config.apiKey], { write: (line) => log.push(line) });
  // Pauses between checks and retries are 50 times shorter: only the work after them matters here.
  const clock = now === undefined ? {} : { now };
  const app = createApp({ config, ...offeredCatalog(offered), log: logger, pace: 0.02, events, ...clock });
  onTestFinished(() => app.close());
  return { ...(await open(app, options)), log, another: (more = {}) => open(app, more) };
}

/** A client of an API that answers like this, with the requests that it got. */
export async function connectToApi(
  reply: Reply | ((request: Recorded, index: number) => Reply),
  settings: Record<string, string> = {},
): Promise<Connected & Recorder> {
  const { url, requests } = await startRecorder(reply);
  return { url, requests, ...(await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off', ...settings })) };
}

/** An embedded academy for one test, and a client connected to a server for it. By default without a rate limit. */
export async function startAcademy(options: SandboxOptions = {}, settings: Record<string, string> = {}) {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 40, orders: 200, ...options });
  onTestFinished(() => sandbox.close());
  const connection = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ...settings });
  return { sandbox, ...connection };
}
