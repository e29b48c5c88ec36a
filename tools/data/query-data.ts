import * as z from 'zod';
import { integer, limitedText } from '../../src/contract/schemas/input-fields.ts';
import { byMembersKey } from '../../src/mcp/output/fence-free-text.ts';
import { listOutput } from '../../src/mcp/output/output-schemas.ts';
import { bodyWithout, counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, withCut } from '../../src/mcp/tool.ts';
import { byMembersIn, coverageFacts, coverageLine, mirrorOf, presentRows, shownNames } from './mirror-answer.ts';

const mostRows = 200;

export const queryData = defineTool({
  name: 'query_data',
  toolset: 'data',
  title: 'Query data',
  description:
    'Answers any question (median, share) about sales, students and content with one read-only SELECT (SQLite) on a copy of the academy. Call describe_data first: it has tables, columns and examples. Add amounts with decimal_sum(amount), by currency. The answer begins with what the copy covers: repeat it. NULL is left out of a row.',
  cost: { once: 0 },
  example: { sql: 'SELECT month, currency, decimal_sum(amount) AS revenue FROM orders GROUP BY month, currency' },
  effect: 'read',
  scope: 'academy:data',
  carriesUserContent: true,
  input: z.strictObject({
    sql: limitedText(20_000)
      .min(1, 'must not be empty')
      .describe('One SELECT, such as "SELECT count(*) FROM students"'),
    max_rows: integer(1, mostRows, 'Most rows to return, 1 to 200; default 200').optional(),
  }),
  output: listOutput('rows', z.looseObject({}), {
    coverage: z.looseObject({ complete: z.boolean() }),
    columns: z.array(z.string()),
    more: z.boolean(),
  }),
  run: async ({ sql, max_rows = mostRows }, context) => {
    const result = await mirrorOf(context).query(sql, max_rows, context);
    const coverage = coverageFacts(result.coverage, result.reads);
    const rows = presentRows(result);
    const columns = shownNames(result.columns);
    const byMembers = byMembersIn(result, result.rows);
    const answer = (count: number) => {
      const more = result.isCut || count < rows.length;
      return {
        summary: `${coverageLine(coverage)} ${more ? `${count} of more rows: narrow it` : counted(count, 'row')}.`,
        data: { coverage, columns, more: more || undefined, rows: rows.slice(0, count), [byMembersKey]: byMembers },
      };
    };
    const how = 'add LIMIT and OFFSET, or fewer columns';
    return { ...withCut(answer, rows.length, how), body: bodyWithout('coverage') };
  },
});
