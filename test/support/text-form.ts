import { expect } from 'vitest';
import { partsOf } from './envelope.ts';

// Parses the text form of an answer by its rules: `name: value` or a table, and JSON string quotes around
// any value that is ambiguous without them.

type Json = Record<string, unknown>;

/** Keys that the text form shows below the tables: texts in the fence, and the names of altered fields on one line. */
const besideCells: ReadonlySet<string> = new Set(['altered_for_display', 'academy_text', 'untrusted']);
const aboutAltered = /^altered_for_display \(differs from the stored text\): /;

/** The content of a line: scalars as texts, because a line does not distinguish "1" from 1. */
export type Value = string | Value[] | { [name: string]: Value };

/** Splits at each `separator` outside quotes and brackets. */
export function split(line: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const last = parts.length - 1;
    const character = line[index] ?? '';
    if (isQuoted && character === '\\') {
      parts[last] += line.slice(index, index + 2);
      index += 1;
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && character === '(') depth += 1;
    if (!isQuoted && character === ')') depth -= 1;
    if (!isQuoted && depth === 0 && line.startsWith(separator, index)) {
      parts.push('');
      index += separator.length - 1;
      continue;
    }
    parts[last] += character;
  }
  return parts;
}

function scalar(text: string): Value {
  if (text.startsWith('(') && text.endsWith(')')) return readValue(text.slice(1, -1));
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

function readValue(text: string): Value {
  const pairs = split(text, '; ').map((pair) => split(pair, '='));
  if (pairs.every(({ length }) => length === 2)) {
    return Object.fromEntries(pairs.map(([name = '', value = '']) => [String(scalar(name)), scalar(value)]));
  }
  const items = split(text, ', ');
  return items.length === 1 ? scalar(text) : items.map(scalar);
}

/** The expected content for a value: free text is in the fence, and a list with one entry looks like the entry. */
function expectedOf(value: unknown): Value {
  if (Array.isArray(value)) return value.length === 1 ? expectedOf(value[0]) : value.map(expectedOf);
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  const entries = Object.entries(value).filter(([name]) => !besideCells.has(name));
  return entries.length === 0 ? '' : Object.fromEntries(entries.map(([name, entry]) => [name, expectedOf(entry)]));
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTable = (value: unknown): value is Json[] => Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** The values that the first line states for all rows of a list: " All orders: status=paid." */
function sharedBy(name: string, first: string): Json {
  const said = split(first, ' All ').find((part) => part.startsWith(`${name}: `));
  const shared = said === undefined ? {} : readValue(said.slice(`${name}: `.length).replace(/\.$/, ''));
  return shared as Json;
}

/** Removes a table of these rows from the lines, and compares every cell with its row. */
function expectTable(name: string, rows: readonly Json[], lines: string[], shared: Json): void {
  expect(lines.shift()).toBe(`${name} (${rows.length}):`);
  const columns = split(lines.shift() ?? '', ' | ').map((column) => String(scalar(column)));
  for (const row of rows) {
    const cells = split(lines.shift() ?? '', ' | ');
    expect(cells).toHaveLength(columns.length);
    const read = Object.fromEntries(columns.map((column, index) => [column, readValue(cells[index] ?? '')]));
    expect(read).toEqual(Object.fromEntries(columns.map((column) => [column, expectedOf(row[column])])));
    const left = Object.entries(row).filter(([key]) => !besideCells.has(key) && !columns.includes(key));
    expect(Object.fromEntries(left.map(([key, value]) => [key, expectedOf(value)]))).toEqual(shared);
  }
}

/** Compares the lines between the first one and the fence with the data: the same fields, rows and values, nothing else. */
export function expectSameFacts(text: string, data: Json, without: readonly string[] = []): void {
  const [first = '', ...lines] = [...partsOf(text).outside];
  for (const [name, value] of Object.entries(data)) {
    if (besideCells.has(name) || without.includes(name)) continue;
    if (isTable(value)) {
      expectTable(name, value, lines, sharedBy(name, first));
      continue;
    }
    const [shown = '', ...rest] = split(lines.shift() ?? '', ': ');
    expect(String(scalar(shown))).toBe(name);
    expect(readValue(rest.join(': '))).toEqual(expectedOf(value));
  }
  const isAltered = JSON.stringify(data).includes('"altered_for_display"');
  expect(lines.map((line) => aboutAltered.test(line))).toEqual(isAltered ? [true] : []);
}
