import * as z from 'zod';
import { defineTool } from '../../src/mcp/tool.ts';
import { type Column, tables } from '../../src/mirror/schema/tables.ts';
import { isObject } from '../../src/shared/json.ts';
import { coverageFacts, coverageLine, mirrorOf } from './coverage-text.ts';

/** A question that people ask, and its statement. */
export type ExampleQuery = Readonly<Record<'question' | 'sql', string>>;

export const exampleQueries: readonly ExampleQuery[] = [
  {
    question: 'revenue by month and currency',
    sql: "SELECT month, currency, decimal_sum(amount) AS revenue, count(*) AS orders FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 GROUP BY month, currency ORDER BY month",
  },
  {
    question: 'who holds course 1 and not course 2',
    sql: "SELECT email, since FROM holdings WHERE kind = 'course' AND product_id = 1 AND email_key NOT IN (SELECT email_key FROM holdings WHERE kind = 'course' AND product_id = 2 AND email_key IS NOT NULL)",
  },
  {
    question: 'repeat buyers by month of the first purchase',
    sql: 'SELECT cohort, count(*) AS buyers, sum(orders > 1) AS again FROM (SELECT email_key, min(month) AS cohort, count(DISTINCT order_id) AS orders FROM sales GROUP BY email_key) GROUP BY cohort',
  },
  {
    question: 'who paid in the last 90 days and has completed nothing',
    sql: "SELECT DISTINCT s.email, s.name FROM students s JOIN sales USING (email_key) WHERE sales.day >= date('now', '-90 days') AND s.completion_percent = 0",
  },
  {
    question: 'lessons of each course',
    sql: 'SELECT c.title, count(l.id) AS lessons FROM courses c LEFT JOIN lessons l ON l.course_id = c.id GROUP BY c.id ORDER BY lessons DESC',
  },
];

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
    return {
      summary: coverageLine(coverage),
      data: {
        coverage,
        timezone: state.timezone,
        rules,
        tables: described,
        examples: exampleQueries,
      },
      body: ({ tables: shown, examples }) => [
        `${rules} Time zone: ${state.timezone}.`,
        ...[shown].flat().flatMap((one) => (isObject(one) ? `${one.name}: ${one.meaning}. ${one.columns}` : [])),
        'Examples:',
        ...[examples].flat().flatMap((one) => (isObject(one) ? `${one.question}: ${one.sql}` : [])),
      ],
    };
  },
});
