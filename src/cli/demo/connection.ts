import type { Stream } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import { version } from '../../version.ts';

/** An answer of the server, as a client receives it. */
export interface ToolAnswer {
  text: string;
  data: unknown;
  isError: boolean;
  /** Number of API requests for this answer. */
  requests: number;
  /** Number of API requests still allowed in this minute. */
  remaining: number;
}

export interface Connection {
  serverName: string;
  serverVersion: string;
  toolCount: number;
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>;
  /** The result as the server sends it. */
  callRaw(name: string, args: Record<string, unknown>): Promise<object>;
  /** The page of a view. Rejects for an unknown address. */
  readView(uri: string): Promise<string>;
  /** Also ends the server. */
  close(): Promise<void>;
}

interface ConnectionOptions {
  /** Path of Node. */
  runtime: string;
  /** Path of the server program. */
  program: string;
  baseUrl: string;
  apiKey: string;
  /** Requests a minute that the API allows. */
  rateLimit: number;
  signal: AbortSignal;
}

const toolResult = z.object({
  content: z.array(z.object({ text: z.string().default('') })),
  // Errors have none.
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
  _meta: z.object({ 'academy/budget': z.object({ requests: z.int(), remaining: z.int() }) }),
});

const pageContents = z.tuple([z.object({ text: z.string() })]);

function readResult(result: unknown): ToolAnswer {
  const { content, structuredContent: data, isError, _meta } = toolResult.parse(result);
  return { text: content.map(({ text }) => text).join('\n'), data, isError, ..._meta['academy/budget'] };
}

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
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { runtime, program, baseUrl, apiKey, rateLimit, signal } = options;
  const env = {
    ACADEMY_BASE_URL: baseUrl,
    ACADEMY_API_KEY: apiKey,
    ACADEMY_RATE_LIMIT: String(rateLimit),
    ACADEMY_MIRROR: 'memory',
  };
  // The transport adds system variables such as PATH, but no other setting of ours.
  const transport = new StdioClientTransport({ command: runtime, args: [program], env, stderr: 'pipe' });
  const reason = lastWords(transport.stderr);
  const client = new Client({ name: 'academy-mcp-demo', version });
  try {
    await client.connect(transport, { signal });
    // From now on the client validates every answer against the output schema of the tool.
    const { tools } = await client.listTools({}, { signal });
    const { name: serverName = '', version: serverVersion = '' } = client.getServerVersion() ?? {};
    return {
      serverName,
      serverVersion,
      toolCount: tools.length,
      call: async (name, args) => readResult(await client.callTool({ name, arguments: args }, undefined, { signal })),
      callRaw: (name, args) => client.callTool({ name, arguments: args }, undefined, { signal }),
      readView: async (uri) => {
        const { contents } = await client.readResource({ uri }, { signal });
        return pageContents.parse(contents)[0].text;
      },
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw new Error(`the server did not start: ${reason()}`, { cause: error });
  }
}
