import { parse } from 'csv-parse/sync';
import { oneLine } from '../../shared/clean-text.ts';
import { refuseInput, withCommas } from '../../shared/invalid-input.ts';
import { type Entry, entryOf } from './plan.ts';

// Reads a class list as schools keep it: CSV from a spreadsheet or another platform.

export interface ClassList {
  readonly entries: readonly Entry[];
  /** Which column was taken for what; undefined for a list of arguments. */
  readonly columns?: string;
}

export const maxListBytes = 5_000_000;
const maxListRows = 10_000;

/** Headers of Google Classroom, Canvas, Moodle, Thinkific and plain lists, without blanks, accents and punctuation. */
const headers = {
  email:
    /^(email|emails|mail|emailaddress|emailid|useremail|studentemail|primaryemail|emailadresse|mailadresse|adressemail|adresseemail|adressedecourriel|courriel|correo|correoelectronico|direcciondecorreo)$/,
  /** Canvas and Moodle: often an address, often not. */
  login: /^(sisloginid|loginid|login|username|userid|sisuserid)$/,
  first: /^(firstname|givenname|first|forename|vorname|prenom|nombre)$/,
  last: /^(lastname|surname|familyname|last|nachname|nomdefamille|apellidos?)$/,
  full: /^(name|fullname|studentname|displayname|student|participant|nom|nombrecompleto)$/,
  status: /^(status|enrollmentstatus|state)$/,
} as const;

type Part = keyof typeof headers;
const parts = Object.keys(headers) as Part[];

/** The status of somebody who has left, in Canvas and others. */
const hasLeft = /^(deleted|inactive|dropped|withdrawn|removed|suspended|left)$/i;
/** Rows that Canvas puts beside the students of a gradebook. */
const isOfGradebook = /^(points possible|student, test|test student)$/i;
const address = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

const keyOf = (header: string) =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
const shown = (text: string) => `"${oneLine(text, 60)}"`;
const refuse = (problem: string) => refuseInput([problem]);

/** The text of a file: UTF-8, UTF-16 or, if it is neither, Windows-1252 as older spreadsheets write it. */
function decode(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes;
  if (first === 0x50 && second === 0x4b) throw refuse('the list is a workbook or an archive: save it as CSV');
  const isLittle = (first === 0xff && second === 0xfe) || (second === 0 && fourth === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && third === 0);
  if (isLittle || isBig) return new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const isControl = (code: number) => code < 32 && code !== 9 && code !== 10 && code !== 13;

function textOf(list: Uint8Array | string): string {
  const text = (typeof list === 'string' ? list : decode(list)).replace(/^\uFEFF/, '');
  for (let at = 0; at < text.length; at += 1) {
    if (isControl(text.charCodeAt(at))) throw refuse('the list is not a text file: save it as CSV');
  }
  return text;
}

/** The character that separates cells: of three, the one that a line has most often outside of quotes. */
function delimiterOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  const countOf = (character: string) => bare.split(character).length;
  const [most = ','] = [',', ';', '\t'].sort((one, other) => countOf(other) - countOf(one));
  return most;
}

/** The columns of each part; `start`: the first row of people. */
interface Layout {
  readonly columns: Readonly<Record<Part, readonly number[]>>;
  readonly titles: readonly string[];
  readonly start: number;
}

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');

/** The columns by the first row that is not blank; undefined if it neither names nor has an address. */
function layoutOf(table: readonly string[][]): Layout | undefined {
  const at = table.findIndex((cells) => !isBlank(cells) && !/^sep=/i.test(cells[0] ?? ''));
  const titles = table[at];
  if (titles === undefined) return undefined;
  const of = (part: Part) => titles.flatMap((title, index) => (headers[part].test(keyOf(title)) ? [index] : []));
  const named = Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, number[]>;
  const bare = titles.flatMap((cell, index) => (address.test(cell) ? [index] : []));
  if (bare.length > 0) {
    const others = titles.flatMap((cell, index) => (address.test(cell) || cell === '' ? [] : [index]));
    const none = { login: [], first: [], last: [], status: [] };
    const letters = titles.map((_, index) => `column ${index + 1}`);
    return { columns: { ...none, email: bare, full: others }, titles: letters, start: at };
  }
  return named.email.length + named.login.length === 0 ? undefined : { columns: named, titles, start: at + 1 };
}

/** Several columns for one thing, unless all rows have the same in each. */
function theColumn(what: string, columns: readonly number[], table: readonly string[][], titles: readonly string[]) {
  const differ = columns.some((one) => table.some((cells) => (cells[one] ?? '') !== (cells[columns[0] ?? 0] ?? '')));
  if (!differ) return columns[0];
  const names = columns.map((one) => shown(titles[one] ?? '')).join(' and ');
  throw refuse(`${names} may each be the ${what}: leave one of these columns, or name the others differently`);
}

function cellsOf(text: string, delimiter: string): string[][] {
  const options = { delimiter, trim: true, relax_quotes: true, relax_column_count: true };
  try {
    return parse(text, { ...options, record_delimiter: ['\r\n', '\n', '\r'] });
  } catch (error) {
    const row = error instanceof Error && 'records' in error ? Number(error.records) + 1 : 1;
    throw refuse(`the quotes of row ${row} of the list, or of a row after it, never end`);
  }
}

function tableOf(text: string): { table: string[][]; layout: Layout } {
  const first = text.split(/\r\n|\n|\r/).find((line) => /[^\s,;]/.test(line) && !/^sep=/i.test(line));
  if (first === undefined) throw refuse('the list is empty');
  const table = cellsOf(text, delimiterOf(first));
  const layout = layoutOf(table);
  if (layout !== undefined) return { table, layout };
  const problem = `no column of the list has addresses: it begins with ${shown(first)}, and none is called "Email"`;
  throw refuse(`${problem}; commas, semicolons or tabs separate columns`);
}

/** "Lee, Ann", as gradebooks write it. */
const inOrder = (name: string) => name.replace(/^([^,]+),\s*(?!(?:jr|sr|ii|iii|phd|md)\b)([^,]+)$/i, '$2 $1');

/** Reads a list. Throws `invalid_input` if it is no list, or if it is not clear which column is which. */
export function readClassList(list: Uint8Array | string): ClassList {
  const { table, layout } = tableOf(textOf(list));
  const { columns, titles, start } = layout;
  const body = table.slice(start);
  const only = (what: string, some: readonly number[]) => theColumn(what, some, body, titles);
  const logins = columns.login.filter((one) => body.some((cells) => address.test(cells[one] ?? '')));
  const at = only('address', columns.email.length > 0 ? columns.email : logins);
  if (at === undefined) throw refuse(`no row has an address under ${shown(titles[columns.login[0] ?? 0] ?? '')}`);
  const first = only('first name', columns.first);
  // Beside a first name, a column that is only called "Name" has last names, or whole ones.
  const last = only('last name', columns.last) ?? (first === undefined ? undefined : only('name', columns.full));
  const isSplit = first !== undefined && last !== undefined;
  const names = (isSplit ? [first, last] : [only('name', columns.full) ?? first]).filter((one) => one !== undefined);
  const entries = body.flatMap((cells, index): Entry[] => {
    if (isBlank(cells)) return [];
    const texts = names.map((one) => (cells[one] ?? '').replace(/\s+/g, ' ').trim());
    const [first = '', whole = first] = texts;
    const isWhole = !isSplit || whole.toLowerCase().split(/[ ,]+/).includes(first.toLowerCase());
    const name = isWhole ? inOrder(whole) : texts.join(' ').trim();
    const email = /<([^<>]+)>$/.exec(cells[at] ?? '')?.[1] ?? cells[at] ?? '';
    const left = columns.status.map((one) => cells[one] ?? '').find((one) => hasLeft.test(one));
    const isNobody = left !== undefined || cells.some((one) => isOfGradebook.test(one));
    const isLong = !isBlank(cells.slice(titles.length));
    const shape = isLong ? `has ${cells.length} cells, not ${titles.length}` : email === '' ? 'no address' : undefined;
    const number = start + index + 1;
    const as = { number, email: oneLine(cells.join(', '), 200) };
    if (isNobody) return [{ ...as, problem: left ?? 'nobody', isNobody }];
    if (shape !== undefined) return [{ ...as, problem: shape }];
    return [entryOf({ email, ...(name === '' ? {} : { name }) }, number)];
  });
  if (entries.length > maxListRows) throw refuse(`the list has more than ${withCommas(maxListRows)} rows`);
  const [wrong] = entries;
  if (wrong === undefined) throw refuse('the list has no rows');
  if (entries.every(({ problem }) => problem !== undefined))
    throw refuse(`no row of the list can be used: row ${wrong.number} ${shown(wrong.email)}: ${wrong.problem}`);
  const named = (some: readonly number[]) => some.map((one) => shown(titles[one] ?? '')).join(' and ');
  const from = names.length === 0 ? 'no names' : `name from ${named(names)}`;
  return { entries, columns: `address from ${named([at])}, ${from}` };
}
