import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { type ElicitRequest, ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { type App, type AppOptions, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Catalog } from '../../src/mcp/catalog.ts';
import { listDefinitions } from '../../src/mcp/describe-tool.ts';
import { fullPrincipal } from '../../src/mcp/principal.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { createLegacyServer } from '../../src/protocol/legacy/server.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import type { WriteOutcome } from '../../src/shared/errors.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';
import { atEnd } from './at-end.ts';
import { type Reply, type Replying, startRecorder } from './recorder.ts';
import { start } from './sandbox.ts';
import { sharedValidator } from './validator.ts';

export type ToolAnswer = ReturnType<typeof readAnswer>;

const result = z.object({
  content: z.array(z.object({ text: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().default(false),
  _meta: z.record(z.string(), z.unknown()).default({}),
});

/** An existing record was applied before, so the claim is the same. */
const outcomeName = z
  .enum(['applied', 'already_there', 'not_applied', 'outcome_unknown'])
  .transform((name): WriteOutcome => (name === 'already_there' ? 'applied' : name));

/** The parts of a tool's answer that tests judge. */
export function readAnswer(given: unknown) {
  const { content, structuredContent: structured, isError, _meta: meta } = result.parse(given);
  const text = content.flatMap((part) => part.text ?? []).join('\n');
  const said = structured?.outcome ?? /^Outcome: (\w+)/m.exec(text)?.[1];
  return {
    isError,
    /** `ok`, or the code of the error. */
    code: isError ? (text.split(':')[0] ?? '') : 'ok',
    /** The reported outcome of a write. */
    outcome: outcomeName.safeParse(said).data,
    text,
    structured,
    meta,
  };
}

/** The answer of the human at the client to an elicitation. */
export type Human = (question: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;

export interface ClientOptions {
  /** Lets the client support elicitation. */
  human?: Human | undefined;
  /** The caller that the server assumes for the client. */
  caller?: string | undefined;
}

/** Options of the program, not of a client. */
export interface ProgramOptions extends Partial<Pick<AppOptions, 'api' | 'now' | 'events' | 'linksExports' | 'pace'>> {
  /** The available tools; default: all of ours. */
  offered?: readonly Tool[];
}

/** Longer than any wait of the program, in milliseconds. */
const maxCall = 120_000;

/** The client has seen tools/list, so that it checks every answer against its output schema. */
async function open(app: App, { human, caller = 'test' }: ClientOptions) {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const capabilities = human === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, jsonSchemaValidator: sharedValidator });
  if (human !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => human(params));
  await Promise.all([serverFor(app, caller).connect(serverSide), client.connect(clientSide)]);
  atEnd(() => client.close());
  await client.listTools();
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    readAnswer(await client.callTool({ name, arguments: args }, undefined, { timeout: maxCall }));
  return { client, call };
}

/** The catalog with these tools alone. */
function offeredCatalog(tools: readonly Tool[] | undefined): Catalog {
  if (tools === undefined) return catalog;
  return { ...catalog, tools, listing: listDefinitions({ ...catalog, tools }) };
}

/** The real program without a transport. `settings` are environment variables. */
export function openProgram(settings: Record<string, string>, { offered, ...more }: ProgramOptions = {}) {
  const config = loadConfig({}, { ACADEMY_API_KEY: 'sandbox-admin-key', LOG_LEVEL: 'debug', ...settings });
  /** The lines that the server logged. */
  const log: string[] = [];
  const logger = createLogger(config.logLevel, [config.apiKey], { write: (line) => log.push(line) });
  // Pauses between checks and retries are 50 times shorter: only the work after them matters here.
  const app = createApp({ config, ...offeredCatalog(offered), log: logger, pace: 0.02, ...more });
  atEnd(() => app.close());
  return { app, log };
}

/** A real MCP client, connected to the real server, which uses the real HTTP client. */
export async function connect(
  settings: Record<string, string>,
  { human, caller, ...options }: ClientOptions & ProgramOptions = {},
) {
  const { app, log } = openProgram(settings, options);
  /** Another client of the same program, with its own conversation. */
  const another = (more: ClientOptions = {}) => open(app, more);
  return { ...(await open(app, { human, caller })), log, another };
}

export type Connection = Awaited<ReturnType<typeof connect>>;

/** Settings for an academy at this address, without a limit of requests and without a log. */
export const unlimited = (url: string, apiKey: string, more: Record<string, string> = {}): Record<string, string> => ({
  ACADEMY_BASE_URL: url,
  ACADEMY_API_KEY: apiKey,
  ACADEMY_RATE_LIMIT: 'off',
  ...more,
});

/** A client of an API that answers like this, with the requests that it got. */
export async function connectToApi(reply: Reply | Replying, settings: Record<string, string> = {}) {
  const { url, requests } = await startRecorder(reply);
  return { url, requests, ...(await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off', ...settings })) };
}

/** An embedded academy for one test, and a client connected to a server for it. By default without a rate limit. */
export async function startAcademy(options: SandboxOptions = {}, settings: Record<string, string> = {}) {
  const sandbox = await start({ students: 40, orders: 200, ...options });
  const connection = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ...settings });
  return { sandbox, ...connection };
}

/** A protocol server for one connection in memory, with its own conversation. */
export function serverFor(app: App, caller: string) {
  return createLegacyServer(app.serviceFor(fullPrincipal(caller), { hasUserContent: false }));
}
