import * as z from 'zod';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import type { Asking } from '../../src/mcp/data-mirror.ts';
import type { SavedExport } from '../../src/mcp/exports.ts';
import { byMembersKey } from '../../src/mcp/output/fence-free-text.ts';
import { memberFieldsOf, texts } from '../../src/mcp/output/output-schemas.ts';
import { bodyWithout, counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext } from '../../src/mcp/tool.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import type { Json } from '../../src/shared/json.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { csvOf, type RowTool, readWholeResult } from '../../src/workflows/read-whole-result.ts';
import { findBuyers } from '../insights/find-buyers.ts';
import { salesReport } from '../insights/sales-report.ts';
import { listStudents } from '../students/list-students.ts';
import { byMembersIn, coverageFacts, coverageLine, mirrorOf, presentRows, shownNames } from './mirror-answer.ts';

/** More than any list has: a call beside tools/call is not bound by the limit of its schema. */
const everyRow = { limit: 1_000_000 };

/** The answer names the currency of most sums once, and leaves out that somebody has one order. */
function buyerOf({ email, name, orders = 1, amount, alone_total, ...row }: Json, { currency }: Json): Json {
  const sum = (value: unknown) => (typeof value === 'string' ? { [String(currency)]: value } : value);
  return { email, name, orders, amount: sum(amount), alone_total: sum(alone_total), ...row };
}

const exportable = {
  find_buyers: { tool: findBuyers, list: 'buyers', whole: { ...everyRow, detail: 'full' }, rowOf: buyerOf },
  sales_report: { tool: salesReport, list: 'groups', whole: { detail: 'full' } },
  list_students: { tool: listStudents, list: 'students', whole: everyRow },
} as const satisfies Record<string, RowTool>;

/** Every row of a statement over the mirror, about to be saved. The summary of an incomplete result says what is missing. */
async function exportOfQuery(sql: string, context: ToolContext & Asking) {
  const result = await mirrorOf(context).csv(sql, context.exports.maxBytes, context);
  const { csv, columns, rows, first, isCut, reads } = result;
  const coverage = coverageFacts(result.coverage, reads);
  const isComplete = coverage.complete && !isCut;
  const why = isCut ? ` (only the first ${rows} rows fit)` : '';
  const summary = `${isComplete ? '' : `Incomplete${why}: `}${coverageLine(coverage)}`;
  const shown = { first_rows: presentRows({ columns, rows: first, reads }), byMembers: byMembersIn(result) };
  return { name: 'query', csv, columns, rows, isComplete, summary, coverage, ...shown };
}

async function exportOfTool(rowTool: RowTool, args: Json, context: ToolContext) {
  const { summary, rows, coverage, isComplete, byMembers } = await readWholeResult(rowTool, args, context);
  const { columns, csv } = csvOf(rows);
  return {
    name: rowTool.tool.name,
    csv,
    columns,
    rows: rows.length,
    isComplete,
    // An incomplete answer of a tool begins with these words too, unless only its last part could not be read.
    summary: isComplete || summary.startsWith('Incomplete') ? summary : `Incomplete: ${summary}`,
    coverage,
    first_rows: rows.slice(0, 5),
    byMembers: columns.filter((name) => byMembers.includes(name) || memberFieldsOf(rowTool.tool).includes(name)),
  };
}

function placeOf(saved: SavedExport, all: number) {
  if ('file' in saved) return { text: `in ${saved.file}`, facts: { file: saved.file, rows: all } };
  const { links, expires_at, rows, why } = saved;
  const more = links.length > 1 ? ` and ${counted(links.length - 1, 'further part')} (links)` : '';
  const missing = rows < all ? `rows ${rows + 1} to ${all} of ${all} are not saved: ${why}` : undefined;
  return {
    text: `as the resource ${links[0]}${more}, until ${expires_at}`,
    facts: { link: links[0], links: links.length > 1 ? links : undefined, expires_at, rows, missing },
  };
}

type WholeExport = Awaited<ReturnType<typeof exportOfQuery | typeof exportOfTool>>;

async function presentExport(whole: WholeExport, { exports, caller, account }: ToolContext): Promise<Presented> {
  const { name, csv, columns, isComplete, summary, coverage, first_rows, byMembers } = whole;
  const fileName = compact([account, name, !isComplete && 'incomplete']).join('-');
  const saved = await exports.save({ name: fileName, csv }, { caller, account });
  const { text, facts } = placeOf(saved, whole.rows);
  const { rows, missing } = facts;
  const size = `${counted(rows, 'row')} and ${counted(columns.length, 'column')}`;
  // An incomplete result begins with that word already.
  const words = missing === undefined ? summary : `${isComplete ? 'Incomplete: ' : ''}${missing}. ${summary}`;
  const complete = isComplete && missing === undefined;
  return {
    summary: `${words} Exported: ${size}, ${text}.`,
    data: { complete, ...facts, columns: shownNames(columns), coverage, first_rows, [byMembersKey]: byMembers },
    body: bodyWithout('complete', 'file', 'link', 'expires_at', 'rows', 'coverage', 'missing'),
    uncut: ['file', 'link', 'links'],
  };
}

export const exportData = defineTool({
  name: 'export_data',
  toolset: 'data',
  title: 'Export data',
  description:
    'Saves a complete result, every row, as a CSV file for a spreadsheet: of one SELECT as in query_data, or of a tool with its arguments. Returns the path or link, the number of rows and the first five.',
  cost: { once: 0, 'per page that a tool reads': 1 },
  example: { sql: 'SELECT email, name, created_at FROM students ORDER BY id' },
  effect: 'read',
  scope: 'academy:data',
  carriesUserContent: true,
  runs: 'tool',
  input: z.strictObject({
    sql: limitedText(20_000).min(1, 'must not be empty').describe('One SELECT').optional(),
    tool: z
      .enum(Object.keys(exportable) as (keyof typeof exportable)[])
      .describe('Instead of sql')
      .optional(),
    arguments: z.looseObject({}).describe('Of that tool; limit has no effect').optional(),
  }),
  output: z.looseObject({
    complete: z.boolean(),
    ...texts('file', 'link'),
    links: z.array(z.string()).optional(),
    expires_at: z.string().optional(),
    rows: z.int(),
    first_rows: z.array(z.looseObject({})).optional(),
  }),
  check: ({ sql, tool, arguments: args }) => {
    if ((sql === undefined) === (tool === undefined)) throw refuseInput(['give either sql or tool']);
    if (args !== undefined && tool === undefined) throw refuseInput(['arguments needs tool']);
  },
  run: async ({ sql, tool, arguments: args = {} }, context) => {
    if (tool !== undefined && !context.has(tool)) {
      const why = `${tool} is not among the tools of this connection, so its result cannot be exported`;
      throw new AcademyError('forbidden', why, { hint: 'tools/list shows the available tools.' });
    }
    // Before the data are read, which may take a minute.
    await context.exports.check();
    if (tool === undefined) {
      return await context.exports.inTurn(context, async (othersWait) =>
        presentExport(await exportOfQuery(sql ?? '', { ...context, othersWait }), context),
      );
    }
    return await presentExport(await exportOfTool(exportable[tool], args, context), context);
  },
});
