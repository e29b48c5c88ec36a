import type { Stream, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import type { Sandbox } from '../../sandbox/index.ts';
import { version } from '../../version.ts';
import type { CommandContext } from '../command-context.ts';

/** Longest line, in characters. */
const lineWidth = 100;

/** Breaks a line at spaces into parts of at most `width` characters. Cuts a longer word. Keeps leading spaces. */
export function wrap(line: string, width: number): string[] {
  const rest = line.trimEnd();
  if (rest.length <= width) return [rest];
  const blank = rest.lastIndexOf(' ', width);
  const end = blank > rest.length - rest.trimStart().length ? blank : width;
  return [rest.slice(0, end).trimEnd(), ...wrap(rest.slice(end).trimStart(), width)];
}

/** Characters of one argument. A longer one was copied from an answer that is on the screen already. */
const maxArgument = 150;

/** `list_orders(status: "paid", page: 1)` */
export function callText(name: string, args: object): string {
  const given = Object.entries(args).map(([argument, value]) => {
    const text = JSON.stringify(value);
    return `${argument}: ${text.length > maxArgument ? '{…}' : text}`;
  });
  return `${name}(${given.join(', ')})`;
}

/** Rows with columns as wide as their longest cell. Numbers are on the right; the last column has any width. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = column === row.length - 1 ? 0 : (widths[column] ?? 0);
      return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join('  ');
  });
}

type Style = Parameters<typeof styleText>[0];

/** Writes the demo to the terminal: plain lines or, with `useColor`, lines with terminal colors. */
export function createScreen(stdout: Writable, useColor: boolean) {
  /** `mark` precedes the first line; the other lines are indented by its length. */
  function write(text: string, style?: Style, mark = ''): void {
    for (const [index, part] of wrap(text, lineWidth - mark.length).entries()) {
      const line = `${index === 0 ? mark : ' '.repeat(mark.length)}${part}`;
      // `useColor` decides about colors. styleText would check the stdout of the process.
      const styled = useColor && style !== undefined ? styleText(style, line, { validateStream: false }) : line;
      stdout.write(`${styled}\n`);
    }
  }
  return {
    heading: (text: string) => {
      write('');
      write(text, ['bold', 'cyan']);
      write('─'.repeat(text.length), 'cyan');
    },
    /** A question to an assistant with these tools. */
    question: (text: string) => {
      write('');
      write(text, 'bold', 'You: ');
    },
    say: (text: string) => write(text),
    call: (name: string, args: object) => write(callText(name, args), 'dim', '  → '),
    answer: (lines: readonly string[]) => {
      for (const line of lines) write(line, undefined, '    ');
    },
    /** A check that has passed. */
    check: (text: string) => write(text, 'green', '  ✓ '),
  };
}

export type Screen = ReturnType<typeof createScreen>;

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
  _meta: z.object({ 'academy/budget': z.object({ requests: z.int(), remaining: z.int() }) }),
});

/** What the sections of the demo use. */
export interface DemoContext {
  readonly screen: Screen;
  readonly sandbox: Pick<Sandbox, 'url' | 'apiKey'>;
  readonly signal: AbortSignal;
  /** Calls a tool. Returns its structured answer, its text and the first line of it. Throws if it returns an error. */
  ask<Schema extends z.ZodType>(
    shape: Schema,
    name: string,
    args?: Arguments,
  ): Promise<{ data: z.output<Schema>; first: string }>;
  /** Calls a tool that must refuse, and returns its message. */
  refusal(name: string, args: Arguments): Promise<string>;
  /** Starts to count calls and requests. The returned function gives the cost since then. */
  count(): () => { requests: number; text: string };
  /** Reads directly from the HTTP API, without our server: the checks share no code with what they check. */
  fetchRaw<Schema extends z.ZodType>(shape: Schema, path: string): Promise<z.output<Schema>>;
}

export function createDemoContext(
  connection: Pick<Connection, 'call'>,
  context: Pick<DemoContext, 'screen' | 'sandbox' | 'signal'>,
): DemoContext {
  const { screen, sandbox, signal } = context;
  const spent = { calls: 0, requests: 0, remaining: 0 };

  async function call(name: string, args: Arguments) {
    screen.call(name, args);
    const { content, structuredContent, isError, _meta } = toolResult.parse(await connection.call(name, args));
    const { requests, remaining } = _meta['academy/budget'];
    spent.calls += 1;
    spent.requests += requests;
    spent.remaining = remaining;
    return { text: content.map(({ text }) => text).join('\n'), data: structuredContent, isError };
  }

  return {
    ...context,
    ask: async (shape, name, args = {}) => {
      const { isError, text, data } = await call(name, args);
      const [first = ''] = text.split('\n');
      if (isError) throw new Error(`${name} answered ${first}`);
      return { data: shape.parse(data), first };
    },
    refusal: async (name, args) => {
      const { isError, text } = await call(name, args);
      if (!isError) throw new Error(`${name} was not refused`);
      return text;
    },
    count: () => {
      const before = { ...spent };
      return () => {
        const [calls, requests] = [spent.calls - before.calls, spent.requests - before.requests];
        const words = calls === 1 ? '1 tool call' : `${calls} tool calls`;
        const text = `Cost: ${words}, ${requests} API requests (${spent.remaining} more allowed in this minute)`;
        return { requests, text };
      };
    },
    fetchRaw: async (shape, path) => {
      const headers = { authorization: `Bearer ${sandbox.apiKey}` };
      const response = await fetch(`${sandbox.url}/api/v1/${path}`, { headers, signal });
      if (!response.ok) throw new Error(`${path} could not be read from the HTTP API: HTTP ${response.status}`);
      return shape.parse(await response.json());
    },
  };
}
