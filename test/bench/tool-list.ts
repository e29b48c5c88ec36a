import * as z from 'zod';
import type { Benchmark } from './benchmark.ts';
import { count, jsonBytes, share, tokens } from './figures.ts';
import { openServer } from './mcp-process.ts';
import { nowhere, program } from './programs.ts';

const toolList = z.object({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      inputSchema: z.unknown(),
      outputSchema: z.unknown(),
    }),
  ),
});

type ListedTool = z.infer<typeof toolList>['tools'][number];

const largestShown = 5;

const parts: [string, (tool: ListedTool) => unknown][] = [
  ['whole list', (tool) => tool],
  ['name, description and input schema', ({ name, description, inputSchema }) => ({ name, description, inputSchema })],
  ['descriptions', ({ description }) => description],
  ['input schemas', ({ inputSchema }) => inputSchema],
  ['output schemas', ({ outputSchema }) => outputSchema],
];

export const toolListSize: Benchmark = {
  title: 'Size of tools/list',
  run: async (atEnd) => {
    const server = await openServer(program, nowhere, atEnd);
    const { tools } = toolList.parse(await server.request('tools/list'));
    const bytesOf = (part: (tool: ListedTool) => unknown) =>
      tools.reduce((sum, tool) => sum + jsonBytes(part(tool)), 0);
    const all = bytesOf((tool) => tool);
    const rows = parts.map(([name, part]) => {
      const bytes = bytesOf(part);
      const inTokens = tools.reduce((sum, tool) => sum + tokens(JSON.stringify(part(tool))), 0);
      return [name, share(bytes, all), count(bytes / tools.length), count(bytes), count(inTokens)];
    });
    const largest = tools
      .map((tool) => ({ name: tool.name, bytes: jsonBytes(tool) }))
      .sort((one, other) => other.bytes - one.bytes)
      .slice(0, largestShown)
      .map(({ name, bytes }) => `\`${name}\` ${count(bytes)}`);
    return {
      tables: [{ columns: ['Part', 'Of the whole', 'Bytes a tool', 'Bytes', 'Tokens'], rows }],
      notes: [
        `${tools.length} tools, as compact JSON. Most clients give the model the second row. Tokens are those of o200k_base; each model has its own.`,
        `The largest: ${largest.join(', ')}.`,
        '`test/tools/all-tools.test.ts` enforces the maximum size of the list.',
      ],
    };
  },
};
