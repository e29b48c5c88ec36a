import type { Stream, Writable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import type { Sandbox } from '../../sandbox/index.ts';
import { version } from '../../version.ts';
import type { CommandContext } from '../command-context.ts';

type Arguments = Record<string, unknown>;

export interface Connection {
  readonly server: string;
  readonly toolCount: number;
  /** The result as the server sends it. */
  call(name: string, args: Arguments): Promise<object>;
  /** The page of a view. Rejects for an unknown address. */
  readView(uri: string): Promise<string>;
  /** Also ends the server. */
  close(): Promise<void>;
}

const pageContents = z.tuple([z.object({ text: z.string() })]);

/** Finds the line with the reason of an early exit. Our program starts it with its name, Node with the error class. */
function lastWords(stream: Stream | null): () => string {
  let said = '';
  stream?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return () =>
    said.split('\n').find((line) => /^(academy-mcp|\w*Error\b.*):/.test(line)) ?? 'it exited without a message';
}

/** Starts the server as a separate process, as MCP clients do, and connects over stdin and stdout. */
export async function connect(
  { runtime, program }: Pick<CommandContext, 'runtime' | 'program'>,
  { url, apiKey }: Sandbox,
  { rateLimit, signal }: { rateLimit: number; signal: AbortSignal },
): Promise<Connection> {
  const env = {
    ACADEMY_BASE_URL: url,
    ACADEMY_API_KEY: apiKey,
    ACADEMY_RATE_LIMIT: String(rateLimit),
    ACADEMY_MIRROR: 'memory',
    ACADEMY_JOURNAL: 'memory',
  };
  // The transport adds system variables such as PATH, but no other setting of ours.
  const transport = new StdioClientTransport({ command: runtime, args: [program], env, stderr: 'pipe' });
  const reason = lastWords(transport.stderr);
  const client = new Client({ name: 'academy-mcp-demo', version });
  try {
    await client.connect(transport, { signal });
    // From now on the client validates every answer against the output schema of the tool.
    const { tools } = await client.listTools({}, { signal });
    const { name = '', version: serverVersion = '' } = client.getServerVersion() ?? {};
    return {
      server: `${name} ${serverVersion}`,
      toolCount: tools.length,
      call: (name, args) => client.callTool({ name, arguments: args }, undefined, { signal }),
      readView: async (uri) => pageContents.parse((await client.readResource({ uri }, { signal })).contents)[0].text,
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw new Error(`the server did not start: ${reason()}`, { cause: error });
  }
}

const toolResult = z.object({
  content: z.array(z.object({ text: z.string().default('') })),
  // Errors have none.
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
  _meta: z.object({ 'academy/budget': z.object({ requests: z.int() }) }),
});

/** Characters of one argument. A longer one was copied from an answer that is on the screen already. */
const maxArgument = 150;

/** `list_orders(status: "paid", page: 1)` */
function callText(name: string, args: object): string {
  const given = Object.entries(args).map(([argument, value]) => {
    const text = JSON.stringify(value);
    return `${argument}: ${text.length > maxArgument ? '{…}' : text}`;
  });
  return `${name}(${given.join(', ')})`;
}

/** Lines of an answer that are printed by default. */
const maxLines = 20;

/** What the steps of the demo use. */
export interface DemoContext {
  /** Prints the title of a step. */
  heading(text: string): void;
  say(text: string): void;
  /** Prints a question to an assistant with these tools. */
  question(text: string): void;
  /** Prints a check that has passed. */
  check(text: string): void;
  /** Calls a tool, prints its answer and returns its data. Throws if it returns an error. */
  ask<Schema extends z.ZodType>(
    shape: Schema,
    name: string,
    args?: Arguments,
    lines?: number,
  ): Promise<z.output<Schema>>;
  /** Calls a tool that must refuse, and prints its message. */
  refusal(name: string, args: Arguments): Promise<void>;
  /** Reads directly from the HTTP API, without our server: the checks share no code with what they check. */
  fetchRaw<Schema extends z.ZodType>(shape: Schema, path: string): Promise<z.output<Schema>>;
}

interface DemoParts {
  readonly connection: Pick<Connection, 'call'>;
  readonly sandbox: Pick<Sandbox, 'url' | 'apiKey'>;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
}

export function createDemoContext({ connection, sandbox, stdout, signal }: DemoParts): DemoContext {
  const say = (text: string) => void stdout.write(`${text}\n`);

  async function call(name: string, args: Arguments, shown: number) {
    say(`  → ${callText(name, args)}`);
    const { content, isError, ...result } = toolResult.parse(await connection.call(name, args));
    const lines = content.flatMap(({ text }) => text.split('\n'));
    for (const line of lines.slice(0, shown)) say(`    ${line}`.trimEnd());
    if (lines.length > shown) say(`    (${lines.length - shown} more lines)`);
    const { requests } = result._meta['academy/budget'];
    say(`    Cost: ${requests} API ${requests === 1 ? 'request' : 'requests'}`);
    return { first: lines[0], data: result.structuredContent, isError };
  }

  return {
    heading: (text) => say(`\n# ${text}`),
    say,
    question: (text) => say(`\nYou: ${text}`),
    check: (text) => say(`  ✓ ${text}`),
    ask: async (shape, name, args = {}, shown = maxLines) => {
      const { isError, first, data } = await call(name, args, shown);
      if (isError) throw new Error(`${name} answered ${first}`);
      return shape.parse(data);
    },
    refusal: async (name, args) => {
      const { isError } = await call(name, args, maxLines);
      if (!isError) throw new Error(`${name} was not refused`);
    },
    fetchRaw: async (shape, path) => {
      const headers = { authorization: `Bearer ${sandbox.apiKey}` };
      const response = await fetch(`${sandbox.url}/api/v1/${path}`, { headers, signal });
      if (!response.ok) throw new Error(`${path} could not be read from the HTTP API: HTTP ${response.status}`);
      return shape.parse(await response.json());
    },
  };
}
