import * as z from 'zod';
import type { Benchmark, Table } from './benchmark.ts';
import { count, jsonBytes, share, tokens } from './figures.ts';
import { findPeers } from './peers/peers.ts';
import { academyMcp, type Launch, nowhere, openServer } from './processes.ts';

const toolList = z.object({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      inputSchema: z.unknown(),
      outputSchema: z.unknown().optional(),
    }),
  ),
});

type ListedTool = z.infer<typeof toolList>['tools'][number];

const largestShown = 5;

/** What most clients give the model of a tool. */
const visible = ({ name, description, inputSchema }: ListedTool) => ({ name, description, inputSchema });

const parts: [string, (tool: ListedTool) => unknown][] = [
  ['whole list', (tool) => tool],
  ['name, description and input schema', visible],
  ['descriptions', ({ description }) => description],
  ['input schemas', ({ inputSchema }) => inputSchema],
  ['output schemas', ({ outputSchema }) => outputSchema],
];

const tokensOf = (tools: readonly ListedTool[], part: (tool: ListedTool) => unknown) =>
  tools.reduce((sum, tool) => sum + tokens(JSON.stringify(part(tool))), 0);

async function listTools(launch: Launch): Promise<ListedTool[]> {
  const server = await openServer(launch);
  return toolList.parse(await server.request('tools/list')).tools;
}

interface Listed {
  readonly name: string;
  readonly tools: readonly ListedTool[];
}

async function listEach(ours: readonly ListedTool[]): Promise<Listed[]> {
  const listed: Listed[] = [{ name: 'academy-mcp', tools: ours }];
  for (const { name, launch } of Object.values(await findPeers())) {
    listed.push({ name, tools: await listTools(launch(nowhere)) });
  }
  return listed;
}

function besideOthers(listed: readonly Listed[]): Table {
  const columns = ['Server', 'Tools', 'Tokens a tool', 'Tokens', 'Tokens of the whole list'];
  const rows = listed.map(({ name, tools }) => {
    const all = tokensOf(tools, visible);
    return [name, ...[tools.length, all / tools.length, all, tokensOf(tools, (tool) => tool)].map(count)];
  });
  return { columns, rows };
}

export const toolListSize: Benchmark = {
  name: 'tool-list',
  title: 'Size of tools/list',
  run: async () => {
    const tools = await listTools(academyMcp(nowhere));
    const others = besideOthers(await listEach(tools));
    const bytesOf = (part: (tool: ListedTool) => unknown) =>
      tools.reduce((sum, tool) => sum + jsonBytes(part(tool)), 0);
    const all = bytesOf((tool) => tool);
    const rows = parts.map(([name, part]) => {
      const bytes = bytesOf(part);
      return [name, share(bytes, all), count(bytes / tools.length), count(bytes), count(tokensOf(tools, part))];
    });
    const largest = tools
      .map((tool) => ({ name: tool.name, bytes: jsonBytes(tool) }))
      .sort((one, other) => other.bytes - one.bytes)
      .slice(0, largestShown)
      .map(({ name, bytes }) => `\`${name}\` ${count(bytes)}`);
    return {
      tables: [{ columns: ['Part', 'Of the whole', 'Bytes a tool', 'Bytes', 'Tokens'], rows }, others],
      notes: [
        `The first table: the ${tools.length} tools of academy-mcp, as compact JSON. Most clients give the model the second row, which is also what the second table counts. Tokens are those of o200k_base; each model has its own.`,
        `The largest: ${largest.join(', ')}.`,
        'A dynamic server lists three tools that search and describe the operations; an agent reads their answers as well. No generic server states whether a tool only reads, or what it returns. The tools of academy-mcp that answer whole questions have no counterpart there.',
        '`test/tools/tool-list-budget.test.ts` enforces the maximum size of the list.',
      ],
    };
  },
};
