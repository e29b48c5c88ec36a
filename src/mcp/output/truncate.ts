import { cutAt } from '../../shared/clean-text.ts';
import { isObject, type Json, setField } from '../../shared/json.ts';
import { countFirst } from '../../shared/sorted.ts';
import type { Cut, Presented } from '../tool.ts';
import { alteredKey } from './fence-free-text.ts';
import { besideCells, formatText } from './text-format.ts';

// The rows of a list repeat values. The data states these once, beside the rows.

/** The key of the values that rows without the field have. */
const defaultsKey = 'defaults';

/** Stating a value once costs as much as repeating it in this number of rows. */
const minRows = 3;
/** A usual value saves too little if it is only as frequent as a constant of the shortest list. */
const minUsual = 6;

/** Identifies a value. Few are not text, whose JSON alone begins with a quote. */
const keyOf = (value: unknown) => (typeof value === 'string' ? `"${value}` : JSON.stringify(value));

const isSame = (one: unknown, other: unknown) =>
  one === other || (typeof one === 'object' && keyOf(one) === keyOf(other));

/** The value that is stated once: of every row or, for a usual field, the most frequent one if it is frequent enough. */
function defaultOf(name: string, rows: readonly Json[], isUsual: boolean): unknown {
  const value = rows[0]?.[name];
  if (rows.every((row) => isSame(row[name], value))) return value;
  if (!isUsual) return undefined;
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row[name]), (counts.get(keyOf(row[name])) ?? 0) + 1);
  const [[key, count] = ['', 0]] = [...counts].sort(([, one], [, other]) => other - one);
  return count < minUsual ? undefined : rows.find((row) => keyOf(row[name]) === key)?.[name];
}

/** The fields that every row has: elsewhere a missing value would look like the default. */
function sharedNames(rows: readonly Json[]): string[] {
  const [first = {}] = rows;
  const altered = new Set(rows.flatMap((row) => (Array.isArray(row[alteredKey]) ? row[alteredKey] : [])));
  return Object.keys(first).filter(
    (name) =>
      !besideCells.has(name) &&
      !altered.has(name) &&
      rows.every((row) => row[name] !== undefined && row[name] !== null),
  );
}

function defaultsOf(rows: readonly Json[], usual: readonly string[]): Json {
  const found = sharedNames(rows).map((name) => [name, defaultOf(name, rows, usual.includes(name))] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function withoutDefaults(row: Json, defaults: Json, names: readonly string[]): Json {
  const own: Json = {};
  for (const name of Object.keys(row)) {
    if (!names.includes(name) || !isSame(row[name], defaults[name])) setField(own, name, row[name]);
  }
  return own;
}

/** The data with the constant values of a list, and the most frequent ones of `usual` fields, in `defaults` before the list. */
function withRowDefaults(data: Json, list: string, usual: readonly string[] = []): Json {
  const rows = data[list];
  if (!Array.isArray(rows) || rows.length < minRows || !rows.every(isObject)) return data;
  const defaults = defaultsOf(rows, usual);
  const names = Object.keys(defaults);
  if (names.length === 0) return data;
  const entries = Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    if (name !== list) return [[name, value]];
    return [
      [defaultsKey, defaults],
      [list, rows.map((row: Json) => withoutDefaults(row, defaults, names))],
    ];
  });
  return Object.fromEntries(entries);
}

/** The longest text and the longest data of an answer, in characters. */
export const maxAnswer = 40_000;

interface Written {
  readonly text: string;
  readonly json: string;
}

/** An answer has no field without a value, and no empty list or map. */
const isShown = (value: unknown) =>
  value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);

function write({ summary, data: record, body, tables, short }: Presented): Written {
  const shown = Object.fromEntries(Object.entries(record).filter(([, value]) => isShown(value)));
  const { coverage, ...others } = shown;
  // Without it first, the counts of an incomplete answer read like a result.
  const isIncomplete = isObject(coverage) && coverage.complete === false;
  const data: Json = isIncomplete ? { coverage, ...others } : shown;
  const stated = short === undefined ? data : withRowDefaults(data, short.list, short.usual);
  const json = JSON.stringify(stated);
  return { text: formatText(summary, data, json, body, tables), json };
}

const fits = ({ text, json }: Written): boolean => text.length <= maxAnswer && json.length <= maxAnswer;

/** The answer with at most `most` of its records, and a note about it in both forms. */
function firstRecords(presented: Presented, cut: Cut, most: number): Written {
  const { summary, data, shown, how } = cut.to(most);
  const said = `cut to ${shown} of ${cut.total ?? cut.records} records to stay within 40000 characters; ${how}`;
  return write({ ...presented, summary, data: { cut: said, ...data } });
}

function cutList(presented: Presented): Written | undefined {
  const { cut } = presented;
  if (cut === undefined) return undefined;
  const most = countFirst(cut.records - 1, (index) => fits(firstRecords(presented, cut, index + 1)));
  return most === 0 ? undefined : firstRecords(presented, cut, most);
}

/** Fields that are never shortened in any answer: half a cursor leads nowhere. */
const alwaysUncut = ['next_cursor'];

function shorten(value: unknown, longest: number, uncut: ReadonlySet<string>): unknown {
  if (typeof value === 'string' && value.length > longest) {
    return `${cutAt(value, longest)}… [${value.length - longest} more characters left out]`;
  }
  if (Array.isArray(value)) return value.map((entry) => shorten(entry, longest, uncut));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, uncut.has(key) ? entry : shorten(entry, longest, uncut)]),
  );
}

/** Cuts every text to the longest length at which the answer fits: for a single record that is too long. */
function cutTexts(presented: Presented): Written {
  const uncut = new Set([...alwaysUncut, ...(presented.uncut ?? [])]);
  for (let longest = maxAnswer / 2; longest > 50; longest /= 2) {
    const fitted = write({ ...presented, data: shorten(presented.data, longest, uncut) as Json });
    if (fits(fitted)) return fitted;
  }
  const cut = 'too long to show, even with every text cut; ask for less at a time';
  const sentBack = Object.entries(presented.data).filter(([key]) => uncut.has(key));
  const least = write({ summary: presented.summary, data: { cut, ...Object.fromEntries(sentBack) } });
  return fits(least) ? least : { text: `${presented.summary}\ncut: ${cut}`, json: JSON.stringify({ cut }) };
}

/** Both forms of an answer, each within the limit: cuts records first, and texts only if that is not enough. */
export function truncate(presented: Presented): Written & { readonly data: Json } {
  const whole = write(presented);
  const written = fits(whole) ? whole : (cutList(presented) ?? cutTexts(presented));
  // Read again, so that the data is exactly what the JSON holds.
  return { ...written, data: JSON.parse(written.json) };
}
