import { parseInput } from '../mcp/input/parse-input.ts';
import { byMembersKey, untrustedKey } from '../mcp/output/fence-free-text.ts';
import type { Presented, Tool, ToolContext } from '../mcp/tool.ts';
import { type CsvCell, csvRow, csvStart } from '../shared/csv.ts';
import { AcademyError } from '../shared/errors.ts';
import { isObject, type Json } from '../shared/json.ts';

export interface RowTool {
  readonly tool: Tool;
  /** The field of its answer that has the rows. */
  readonly list: string;
  /** Arguments with which one answer has every row that was read. */
  readonly whole: Readonly<Record<string, unknown>>;
  /** A row on its own, without what the answer says once for all rows. */
  readonly rowOf?: (row: Json, answer: Readonly<Record<string, unknown>>) => Json;
}

/** Arguments that ask for a part of the rows, or for none. */
const parts = ['limit', 'cursor', 'page', 'totals_only'];

/** The time after which no further part is read, in milliseconds: clients stop waiting. */
const longestMs = 45_000;

function resultOf({ summary, data }: Presented, { list, rowOf = (row) => row }: RowTool) {
  const rows = data[list];
  const { coverage, next_cursor, [byMembersKey]: byMembers } = data;
  return {
    /** The first line of the tool's last answer. It says whether something is missing. */
    summary,
    rows: Array.isArray(rows) ? rows.filter(isObject).map((row) => rowOf(row, data)) : [],
    coverage,
    byMembers: Array.isArray(byMembers) ? byMembers.map(String) : [],
    isComplete: next_cursor === undefined && isObject(coverage) && coverage.complete === true,
  };
}

/** Runs a tool until its cursor ends: each answer has all rows read so far. Throws `invalid_input` for wrong arguments. */
export async function readWholeResult(rowTool: RowTool, args: Readonly<Record<string, unknown>>, context: ToolContext) {
  const { tool, whole } = rowTool;
  const others = Object.entries(args).filter(([name]) => !parts.includes(name));
  const input = parseInput(tool.input, Object.fromEntries(others));
  tool.check?.(input);
  const { spent, signal } = context;
  const most = typeof input.max_requests === 'number' ? input.max_requests : Number.POSITIVE_INFINITY;
  const start = performance.now();
  const mayGoOn = () => !signal.aborted && performance.now() - start < longestMs && spent() < most;
  let answer = await tool.run({ ...input, ...whole }, context);
  while (answer.data.next_cursor !== undefined && mayGoOn()) {
    const before = spent();
    const further = tool.run({ ...input, ...whole, cursor: answer.data.next_cursor }, context);
    const next = await further.catch((error: unknown) => {
      // What was read is worth more than the error of a further part, such as a limit that is used up.
      if (signal.aborted || !(error instanceof AcademyError)) throw error;
      return undefined;
    });
    answer = next ?? answer;
    // The limit is used up: the next part could not read anything either.
    if (next === undefined || spent() === before) break;
  }
  return resultOf(answer, rowTool);
}

type Cells = readonly (readonly [column: string, cell: CsvCell])[];

function cellOf(value: unknown): CsvCell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === null) return value;
  return Array.isArray(value) && value.every((entry) => !isObject(entry)) ? value.join(', ') : JSON.stringify(value);
}

/** A map becomes a column for each of its keys: the sum in euros of `amount` is in `amount EUR`. */
function cellsOf(row: Json): Cells {
  return Object.entries(row).flatMap(([name, value]): Cells => {
    if (value === undefined) return [];
    if (!isObject(value)) return [[name, cellOf(value)]];
    if (name === untrustedKey) return cellsOf(value);
    return Object.entries(value).map(([key, entry]) => [`${name} ${key}`, cellOf(entry)]);
  });
}

/** Columns in the order in which rows first have them, those of one map beside each other. */
function columnsOf(rows: readonly Cells[]): string[] {
  const all = [...new Set(rows.flatMap((cells) => cells.map(([column]) => column)))];
  const heads = [...new Set(all.map((column) => column.split(' ')[0]))];
  return heads.flatMap((head) => all.filter((column) => column.split(' ')[0] === head));
}

export function csvOf(rows: readonly Json[]) {
  const cells = rows.map(cellsOf);
  const columns = columnsOf(cells);
  const lines = cells.map((row) => {
    const byColumn = new Map(row);
    return csvRow(columns.map((column) => byColumn.get(column)));
  });
  return { columns, csv: Buffer.from(csvStart + csvRow(columns) + lines.join('')) };
}
