import * as z from 'zod';
import { bodyWithout } from '../../src/mcp/output/text-format.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { type Column, tables } from '../../src/mirror/rows/tables.ts';
import { coverageFacts, coverageLine, exampleQueries, mirrorOf } from './mirror-answer.ts';

const said = new Set<string>();

/** "id, email_key (email in lower case), created_at (UTC)". A meaning is given once, at the first table with the column. */
function columnText({ name, meaning }: Column): string {
  const words = `${name} (${meaning})`;
  if (meaning === undefined || said.has(words)) return name;
  said.add(words);
  return words;
}

const described = tables.map(({ name, meaning, columns }) => {
  return { name, meaning, columns: columns.map(columnText).join(', ') };
});

const rules =
  'SQLite dialect, one SELECT. Emails compare without case; email_key is the same in lower case. Times are UTC; day, week and month are in the time zone below. Amounts of different currencies never add up.';

export const describeData = defineTool({
  name: 'describe_data',
  toolset: 'data',
  title: 'Describe data',
  description:
    'Shows what query_data can read: the tables and columns with their meaning, how much of each the copy of the academy covers and how fresh it is, and example queries. Call it once before query_data.',
  cost: { once: 0 },
  example: {},
  effect: 'read',
  carriesUserContent: false,
  input: z.strictObject({}),
  output: z.looseObject({
    coverage: z.looseObject({ complete: z.boolean() }).optional(),
    tables: z.array(z.looseObject({ name: z.string() })).optional(),
  }),
  run: async (_input, context) => {
    const state = await mirrorOf(context).coverage();
    const coverage = coverageFacts(state);
    return {
      summary: coverageLine(coverage),
      data: {
        coverage,
        timezone: state.timezone,
        rules,
        tables: described,
        examples: exampleQueries,
      },
      body: bodyWithout('coverage'),
    };
  },
});
