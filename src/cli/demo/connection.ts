import type { Stream } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import { version } from '../../version.ts';

/** An answer of the server as a client sees it. */
export interface ToolAnswer {
  text: string;
  data: unknown;
  isError: boolean;
  /** Requests to the API that it took. */
  requests: number;
  /** Requests that may still be sent in this minute. */
  remaining: number;
}

export interface Connection {
  serverName: string;
  serverVersion: string;
  toolCount: number;
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>;
  /** Ends the server too. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** The Node that runs it. */
  runtime: string;
  /** The script of the server. */
  program: string;
  baseUrl: string;
  apiKey: string;
  /** Requests a minute that the API allows. */
  rateLimit: number;
  signal: AbortSignal;
}

const toolResult = z.object({
  content: z.array(z.object({ text: z.string().default('') })),
  // A refusal has none.
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
  _meta: z.object({ 'academy/budget': z.object({ requests: z.int(), remaining: z.int() }) }),
});

function readResult(result: unknown): ToolAnswer {
  const { content, structuredContent: data, isError, _meta } = toolResult.parse(result);
  return { text: content.map(({ text }) => text).join('\n'), data, isError, ..._meta['academy/budget'] };
}

/** The line in which a program that ended early says why: ours names itself, Node its error. */
function lastWords(stream: Stream | null): () => string {
  let said = '';
  stream?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return () => said.split('\n').find((line) => /^(academy-mcp|\w*Error\b.*):/.test(line)) ?? 'it ended at once';
}

/** Starts the server as a process of its own, which is what MCP clients do, and speaks with it over stdin and stdout. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { runtime, program, baseUrl, apiKey, rateLimit, signal } = options;
  const env = { ACADEMY_BASE_URL: baseUrl, ACADEMY_API_KEY: apiKey, ACADEMY_RATE_LIMIT: String(rateLimit) };
  // The transport adds what a process needs (PATH and the like), and no other variable of ours.
  const transport = new StdioClientTransport({ command: runtime, args: [program], env, stderr: 'pipe' });
  const reason = lastWords(transport.stderr);
  const client = new Client({ name: 'academy-mcp-demo', version });
  try {
    await client.connect(transport, { signal });
    // From here on the client holds every answer against the tool's output schema.
    const { tools } = await client.listTools({}, { signal });
    const { name: serverName = '', version: serverVersion = '' } = client.getServerVersion() ?? {};
    return {
      serverName,
      serverVersion,
      toolCount: tools.length,
      call: async (name, args) => readResult(await client.callTool({ name, arguments: args }, undefined, { signal })),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw new Error(`the server did not start: ${reason()}`, { cause: error });
  }
}
