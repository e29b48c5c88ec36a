import { isObject, type Json } from '../../shared/json.ts';
import { asValue, quoted } from '../../shared/quote-text.ts';
import { academyTextKey, alteredKey, byMembersKey, linesBeside, untrustedKey } from './fence-free-text.ts';

/** The table of a list: the same on every page of one question. */
export interface TableShape {
  readonly columns: readonly string[];
  /** Values that all rows of the question share. The first line of the text states them, so the table omits them. */
  readonly same: Json;
}

export type TableShapes = Readonly<Record<string, TableShape>>;

/** Keys of a record that the text form shows below the tables. */
export const besideCells: ReadonlySet<string> = new Set([alteredKey, academyTextKey, untrustedKey]);

/** A field without a value is not in the answer. */
const namesIn = (row: Json) => Object.keys(row).filter((name) => row[name] !== undefined);

/** Adds the names in `rows` that `columns` lacks: the header fits every row. */
function columnsWith(columns: readonly string[], rows: readonly Json[]): string[] {
  const names = new Set(columns);
  for (const row of rows) for (const name of namesIn(row)) names.add(name);
  return [...names].filter((name) => !besideCells.has(name));
}

/** The shape of a list, from all rows of the question. A column without any value is omitted. `order`: the first columns. */
export function wholeTable(rows: Iterable<Json>, order: readonly string[]): TableShape {
  const names = new Set<string>();
  let shared: Map<string, unknown> | undefined;
  let count = 0;
  for (const row of rows) {
    count += 1;
    for (const name of namesIn(row)) names.add(name);
    shared ??= new Map(Object.entries(row).filter(([name, value]) => name !== 'id' && isScalar(value)));
    for (const [name, value] of shared) if (row[name] !== value) shared.delete(name);
  }
  for (const name of besideCells) names.delete(name);
  const columns = [...order.filter((name) => names.delete(name)), ...names];
  // The only row keeps its values: there is nothing to compare them with.
  return without({ columns, same: count > 1 ? Object.fromEntries(shared ?? []) : {} });
}

/** The shape of a list of a scan: the rows are all rows of the question only once it has ended. */
export function scannedTable(rows: readonly Json[], columns: readonly string[], isAllRead: boolean): TableShape {
  return isAllRead ? wholeTable(rows, columns) : pageTable(rows, columns);
}

/** The shape of a list if only one page is known: each column of `columns`, even if this page has no value for it. */
export function pageTable(rows: readonly Json[], columns: readonly string[], fixed: Json = {}): TableShape {
  const same = Object.entries(fixed).filter(
    ([name, value]) => value !== undefined && rows.every((row) => row[name] === value),
  );
  return without({ columns: columnsWith(columns, rows), same: Object.fromEntries(same) });
}

function without({ columns, same }: TableShape): TableShape {
  return { columns: columns.filter((name) => !Object.hasOwn(same, name)), same };
}

/** Writes data as lines of text. The fences with free text follow them. */
export type TextBody = (data: Json, tables: TableShapes) => string[];

const separator = ' | ';

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A nested list or map is in brackets. */
function part(value: unknown): string {
  return typeof value === 'object' && value !== null ? `(${inline(value)})` : inline(value);
}

/** A value in a line: maps as `key=value; …`, lists with commas. An ambiguous text is quoted. */
export function inline(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return asValue(value);
  if (isScalar(value)) return String(value);
  if (Array.isArray(value)) return value.map(part).join(', ');
  const pairs: string[] = [];
  for (const [key, entry] of Object.entries(value))
    if (entry !== undefined && !besideCells.has(key)) pairs.push(`${inline(key)}=${part(entry)}`);
  return pairs.join('; ');
}

/** "1 order", "2 orders". */
export function counted(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one.replace(/(?<![aeiou])y$/, 'ie')}s`;
}

/** A line of a table. A text alone on its line is quoted: it would read like a sentence of this server. */
export function tableLine(cells: readonly unknown[]): string {
  const [only] = cells;
  if (typeof only === 'string' && cells.length === 1) return quoted(only);
  return cells.map(inline).join(separator);
}

/** A heading and a line for each row, with the same columns in the same order. A missing value is an empty cell. */
export function table(rows: readonly Json[], columns: readonly string[] = columnsWith([], rows)): string[] {
  return [columns.map(inline).join(separator), ...rows.map((row) => tableLine(columns.map((column) => row[column])))];
}

/** A sentence of this server, of words and numbers only: no other text matches. */
const aboutCut = /^(cut to \d+ of \d+ records to stay within \d+ characters; [\w ,]+|too long to show, [\w ,;]+)$/;

function isTable(value: unknown): value is Json[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** The columns of a shape, and those that only these rows have. */
function columnsOf(rows: readonly Json[], shape: TableShape | undefined): string[] {
  if (shape === undefined) return columnsWith([], rows);
  return columnsWith(shape.columns, rows).filter((name) => !Object.hasOwn(shape.same, name));
}

export function field(name: string, value: unknown, tables: TableShapes = {}): string[] {
  if (name === 'cut' && typeof value === 'string' && aboutCut.test(value)) return [`cut: ${value}`];
  if (isTable(value)) return [`${inline(name)} (${value.length}):`, ...table(value, columnsOf(value, tables[name]))];
  return [`${inline(name)}: ${inline(value)}`];
}

/** Lines of a field that differ from the default ones. */
type FieldLines = (value: unknown) => string[];

/** The default lines, without some fields, whose values the summary states. `own`: fields with other lines. */
export function bodyWith(own: Readonly<Record<string, FieldLines>>, stated: readonly string[] = []): TextBody {
  // A field of the API may be called "constructor".
  const lines = new Map([...Object.entries(own), ...stated.map((name) => [name, () => []] as const)]);
  return (data, tables) =>
    Object.entries(data).flatMap(([name, value]) => lines.get(name)?.(value) ?? field(name, value, tables));
}

export const bodyWithout = (...stated: readonly string[]) => bodyWith({}, stated);

/** A list of texts of this server, a line each. */
export const eachOnItsLine: FieldLines = (texts) => [texts].flat().map(String);

/** " All orders: status=paid." for each list that is shown. */
function sharedText(data: Json, tables: TableShapes): string {
  const lists = Object.entries(tables).filter(
    ([name, { same }]) => isTable(data[name]) && Object.keys(same).length > 0,
  );
  return lists.map(([name, { same }]) => ` All ${inline(name)}: ${inline(same)}.`).join('');
}

/** The text form of an answer: a summary line, then the facts of `data`. `json`: its data as JSON text. */
export function formatText(
  summary: string,
  data: Json,
  json: string,
  bodyOf: TextBody = bodyWithout(),
  tables: TableShapes = {},
): string {
  // The body never sees fenced text.
  const facts = Object.fromEntries(
    Object.entries(data).filter(([name]) => name !== byMembersKey && !besideCells.has(name)),
  );
  const members = data[byMembersKey] === undefined ? [] : field(byMembersKey, data[byMembersKey]);
  return [
    summary + sharedText(facts, tables),
    ...bodyOf(facts, tables),
    ...members,
    ...linesBeside(data, json, inline),
  ].join('\n');
}
