import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import type { Sandbox } from '../../sandbox/index.ts';
import { version } from '../../version.ts';
import type { CommandContext } from '../command-context.ts';

type Arguments = Record<string, unknown>;

export type Connection = Awaited<ReturnType<typeof connect>>;

const pageContents = z.tuple([z.object({ text: z.string() })]);

/** Starts the server as a separate process, as MCP clients do, and connects over stdin and stdout. */
export async function connect(
  { runtime, program }: Pick<CommandContext, 'runtime' | 'program'>,
  { url, apiKey }: Sandbox,
  { rateLimit, signal }: { rateLimit: number; signal: AbortSignal },
) {
  const env = {
    ACADEMY_BASE_URL: url,
    ACADEMY_API_KEY: apiKey,
    ACADEMY_RATE_LIMIT: String(rateLimit),
    ACADEMY_MIRROR: 'memory',
    ACADEMY_JOURNAL: 'memory',
  };
  // The transport adds system variables such as PATH, but no other setting of ours.
  const transport = new StdioClientTransport({ command: runtime, args: [program], env, stderr: 'pipe' });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const client = new Client({ name: 'academy-mcp-demo', version });
  try {
    await client.connect(transport, { signal });
    // From now on the client validates every answer against the output schema of the tool.
    const { tools } = await client.listTools({}, { signal });
    const { name = '', version: serverVersion = '' } = client.getServerVersion() ?? {};
    return {
      server: `${name} ${serverVersion}`,
      toolCount: tools.length,
      call: (name: string, args: Arguments): Promise<object> =>
        client.callTool({ name, arguments: args }, undefined, { signal }),
      readView: async (uri: string) =>
        pageContents.parse((await client.readResource({ uri }, { signal })).contents)[0].text,
      /** Also ends the server. */
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    // Our program starts the line with the reason with its name, Node with the error class.
    const reason = said.split('\n').find((line) => /^(academy-mcp|\w*Error\b.*):/.test(line));
    throw new Error(`the server did not start: ${reason ?? 'it exited without a message'}`, { cause: error });
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
const maxArgument = 250;

const maxLines = 45;

const anything = z.unknown();

/** `status: "paid"` */
function argumentText([name, value]: [string, unknown]): string {
  const text = JSON.stringify(value);
  return `${name}: ${text.length > maxArgument ? '{…}' : text}`;
}

/** Prints the sentence of a person, the call and its answer. Returns the data of the answer. */
export function createAsk({ call }: Pick<Connection, 'call'>, say: (text: string) => void) {
  return async <Schema extends z.ZodType = typeof anything>(
    sentence: string,
    name: string,
    args: Arguments,
    shape?: Schema,
  ): Promise<z.output<Schema>> => {
    say(`\nYou: ${sentence}\n  → ${name}(${Object.entries(args).map(argumentText).join(', ')})`);
    const { content, isError, structuredContent, _meta } = toolResult.parse(await call(name, args));
    const lines = content.flatMap(({ text }) => text.split('\n'));
    for (const line of lines.slice(0, maxLines)) say(`    ${line}`.trimEnd());
    if (lines.length > maxLines) say(`    (${lines.length - maxLines} more lines)`);
    const { requests } = _meta['academy/budget'];
    say(`    Cost: ${requests} API ${requests === 1 ? 'request' : 'requests'}`);
    // A preview for the consent of a person is no failure.
    const [first = ''] = lines;
    if (isError && !first.startsWith('confirmation_required')) throw new Error(`${name} answered ${first}`);
    return (shape ?? anything).parse(structuredContent) as z.output<Schema>;
  };
}

export type Ask = ReturnType<typeof createAsk>;
