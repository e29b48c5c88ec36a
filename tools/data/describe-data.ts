import * as z from 'zod';
import { defineTool } from '../../src/mcp/tool.ts';
import { tables } from '../../src/mirror/schema/tables.ts';
import { isObject } from '../../src/shared/json.ts';
import { coverageFacts, coverageLine } from './coverage-text.ts';
import { exampleQueries } from './example-queries.ts';
import { mirrorOf } from './mirror-of.ts';

/** "id, email_key (email in lower case), created_at (UTC)". A meaning is given once, at the first table with the column. */
function columnsText(): Map<string, string> {
  const said = new Set<string>();
  return new Map(
    tables.map(({ name, columns }) => {
      const words = columns.map(({ name: column, meaning }) => {
        if (meaning === undefined || said.has(`${column} ${meaning}`)) return column;
        said.add(`${column} ${meaning}`);
        return `${column} (${meaning})`;
      });
      return [name, words.join(', ')];
    }),
  );
}

const columnsOf = columnsText();

const rules =
  'SQLite dialect, one SELECT. Emails compare without case; email_key is the same in lower case. Times are UTC; day, week and month are in the time zone below. Amounts of different currencies never add up.';

export const describeData = defineTool({
  name: 'describe_data',
  toolset: 'data',
  title: 'Describe data',
  description:
    'Shows what query_data can read: the tables and columns with their meaning, how much of each the copy of the academy covers and how fresh it is, and example queries. Call it once before query_data.',
  cost: { requests: 0 },
  example: {},
  effect: 'read',
  repeat: 'safe',
  carriesUserContent: false,
  input: z.strictObject({}),
  output: z.looseObject({
    coverage: z.looseObject({ complete: z.boolean() }).optional(),
    tables: z.array(z.looseObject({ name: z.string() })).optional(),
  }),
  run: async (_input, context) => {
    const state = await mirrorOf(context).coverage();
    const coverage = coverageFacts(state);
    const described = tables.map(({ name, meaning }) => ({ name, meaning, columns: columnsOf.get(name) ?? '' }));
    return {
      summary: coverageLine(coverage),
      data: {
        coverage,
        timezone: state.timezone,
        rules,
        tables: described,
        examples: exampleQueries.map(({ question, sql }) => ({ question, sql })),
      },
      body: ({ tables: shown, examples }) => [
        `${rules} Time zone: ${state.timezone}.`,
        ...[shown]
          .flat()
          .flatMap((table) => (isObject(table) ? `${table.name}: ${table.meaning}. ${table.columns}` : [])),
        'Examples:',
        ...[examples].flat().flatMap((one) => (isObject(one) ? `${one.question}: ${one.sql}` : [])),
      ],
    };
  },
});
