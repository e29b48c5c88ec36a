import type { Asking } from '../../src/mcp/data-mirror.ts';
import { memberFieldsOf } from '../../src/mcp/output/member-fields.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import type { Json } from '../../src/shared/json.ts';
import { type RowTool, readWholeResult } from '../../src/workflows/read-whole-result.ts';
import { coverageFacts, coverageLine } from './coverage-text.ts';
import { csvOfRows } from './csv-of-rows.ts';
import { mirrorOf } from './mirror-of.ts';
import { mayBeByMembers, presentRows } from './query-rows.ts';

/** A result that is about to be saved. */
export interface WholeExport {
  /** What the file is named after. */
  readonly name: string;
  readonly csv: Uint8Array;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly isComplete: boolean;
  /** The beginning of the first line. Of an incomplete result it says what is missing. */
  readonly summary: string;
  readonly coverage: unknown;
  readonly firstRows: readonly Json[];
  /** The columns that may hold text of members. */
  readonly byMembers: readonly string[];
}

/** Rows that the answer shows. */
const shownRows = 5;

/** Every row of a statement over the mirror. */
export async function exportOfQuery(sql: string, context: ToolContext & Asking): Promise<WholeExport> {
  const result = await mirrorOf(context).csv(sql, context.exports.maxBytes, context);
  const { csv, columns, rows, first, isCut, reads } = result;
  const coverage = coverageFacts(result.coverage, reads);
  const isComplete = coverage.complete && !isCut;
  const why = isCut ? ` (only the first ${rows} rows fit)` : '';
  return {
    name: 'query',
    csv,
    columns,
    rows,
    isComplete,
    summary: `${isComplete ? '' : `Incomplete${why}: `}${coverageLine(coverage)}`,
    coverage,
    firstRows: presentRows({ columns, rows: first, reads }),
    byMembers: mayBeByMembers(result),
  };
}

/** Every row of a tool's answer. */
export async function exportOfTool(
  rowTool: RowTool,
  given: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<WholeExport> {
  const { summary, rows, coverage, isComplete, byMembers } = await readWholeResult(rowTool, given, context);
  const { csv, columns } = csvOfRows(rows);
  return {
    name: rowTool.tool.name,
    csv,
    columns,
    rows: rows.length,
    isComplete,
    // An incomplete answer of a tool begins with these words too, unless only its last part could not be read.
    summary: isComplete || summary.startsWith('Incomplete') ? summary : `Incomplete: ${summary}`,
    coverage,
    firstRows: rows.slice(0, shownRows),
    byMembers: columns.filter((name) => byMembers.includes(name) || memberFieldsOf(rowTool.tool).includes(name)),
  };
}
