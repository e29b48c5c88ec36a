/** An answer in its two forms. */
export interface TwoForms {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** Format characters that a reader sees, such as Arabic number signs. */
const seen = '\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}';
const unseen = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}';

/** What no answer may hold: controls, bidi, zero-width, tags, selectors, halves of pairs, what is no character. */
const forbidden = new RegExp(`(?![\\n\\t${seen}])[${unseen}\\p{Noncharacter_Code_Point}]`, 'u');

/** An emoji with its tone and form, and those that are joined to it: here the joiners are needed. */
const emoji =
  /\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}]?\uFE0F?(?:\u200D\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}]?\uFE0F?)*/gu;

/** The first forbidden character of a text, if there is one. */
export function forbiddenIn(text: string): string | undefined {
  return forbidden.exec(text.replace(emoji, ''))?.[0];
}

/** The fault of a text that holds a forbidden character. */
export function forbiddenFault(text: string): string[] {
  const found = forbiddenIn(text);
  return found === undefined ? [] : [`a forbidden character: ${JSON.stringify(found)}`];
}

const maxName = 200;

/** Where a value outside `untrusted` may be longer than a name: several names in a sentence, a title to be given back. */
const longerNames: Readonly<Record<string, number>> = { warnings: 1_000, undo_lessons: 255 };

interface Found {
  readonly text: string;
  readonly fenced: boolean;
  /** Characters that it may have if it holds a name. */
  readonly longest: number;
}

/** The strings of the structured form, keys too: within `untrusted` and outside of it. */
function strings(value: unknown, fenced = false, longest = maxName): Found[] {
  if (typeof value === 'string') return [{ text: value, fenced, longest }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => [
    { text: key, fenced, longest },
    ...strings(entry, fenced || key === 'untrusted' || key === 'academy_text', longerNames[key] ?? longest),
  ]);
}

export interface Parts {
  /** Of the fence that closes with the last line, if there is one. */
  readonly nonce: string | undefined;
  /** Of all fences. */
  readonly nonces: readonly string[];
  readonly outside: readonly string[];
  readonly inside: readonly string[];
}

/** Takes the fence that closes with the last line off the lines. */
function fenceAtEnd(lines: readonly string[], mark: string) {
  const nonce = new RegExp(`^</${mark}-([0-9a-f]{32})>$`).exec(lines.at(-1) ?? '')?.[1];
  const opening = lines.indexOf(`<${mark}-${nonce}>`);
  if (nonce === undefined || opening < 0) return { nonce: undefined, outside: lines, inside: [] };
  // The line before the opening mark announces it.
  return { nonce, outside: lines.slice(0, opening - 1), inside: lines.slice(opening + 1, -1) };
}

/** The text form, taken apart at the marks that bear its own nonces. Only a last line can be a closing mark. */
export function partsOf(text: string): Parts {
  const members = fenceAtEnd(text.split('\n'), 'untrusted-data');
  const academy = fenceAtEnd(members.outside, 'academy-text');
  const nonces = [members.nonce, academy.nonce].filter((nonce) => nonce !== undefined);
  return { nonce: nonces[0], nonces, outside: academy.outside, inside: [...academy.inside, ...members.inside] };
}

/** What is to be given back stands as JSON: its quotes show where a value ends. */
const isJson = (line: string) => /^\w+: [[{]/.test(line);

/** What stands between JSON string quotes is a value, whatever is in it. */
const anyQuoted = /"(?:[^"\\]|\\.)*"/g;

/** Columns of a line: bars that belong to a value stand within quotes. */
const columns = (line: string) => (isJson(line) ? 1 : line.replace(anyQuoted, '""').split(' | ').length);

const maxCode = 1_000;

/** Words that mark the texts of an answer by their kind. */
export const marks = { line: 'HOSTILEline', block: 'HOSTILEblock', code: 'HOSTILEcode' } as const;

function structuredFaults(data: TwoForms['data']): string[] {
  return strings(data).flatMap(({ text, fenced, longest: maxLine }) => {
    if (fenced) return [];
    const longest = text.includes(marks.line) ? maxLine : maxCode;
    return [
      ...(text.includes(marks.block) ? ['free text stands outside untrusted'] : []),
      ...(text.includes('\n') ? ['a value outside untrusted has several lines'] : []),
      ...(text.length > longest ? [`a value outside untrusted has ${text.length} characters`] : []),
    ];
  });
}

function textFaults(text: string): string[] {
  const { nonces, outside, inside } = partsOf(text);
  const counts = nonces.map((nonce) => text.split(nonce).length - 1).filter((count) => count !== 2);
  return [
    ...(outside.some((line) => line.includes(marks.block)) ? ['free text stands outside the fence'] : []),
    ...(inside.some((line) => line.includes(marks.line)) ? ['a name stands within the fence'] : []),
    ...counts.map((count) => `a nonce stands ${count} times in the text`),
  ];
}

/** "orders (25):", and the header of the table follows. */
const tableTitle = /^\w+ \((\d+)\):$/;

/** What stands in no table, with rows that are wider than their header. */
function withoutTables(lines: readonly string[]): string[] {
  const rest: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const rows = Number(tableTitle.exec(line)?.[1] ?? -1);
    if (rows < 0) {
      rest.push(line);
      continue;
    }
    const [header = '', ...body] = lines.slice(index + 1, index + 2 + rows);
    rest.push(line, ...body.filter((row) => columns(row) > columns(header)));
    index += rows + 1;
  }
  return rest;
}

/** The program's own words about a title that is too long to be restored. */
const aboutUndo = /^(Warning: )?undo cannot fully restore these lessons: /;

/** The program's own words about texts that it cleaned or cut. */
const aboutAltered = /^altered_for_display \(differs from the stored text\): /;

/** Without the lines that it may have more than a harmless one. */
export const countedLines = (lines: readonly string[]) =>
  lines.filter((line) => !aboutUndo.test(line) && !aboutAltered.test(line));

/** The answer says itself that it was cut, and how to go on. */
const aboutCut = /^(cut: (cut to \d+ of \d+ records|too long to show)|next_cursor: [\w-]+$)/;

/** Lines and columns that a harmless answer of the same shape has not. */
export function addedBy(text: string, harmless: string): string[] {
  const linesOf = (form: string) =>
    countedLines(withoutTables(partsOf(form).outside)).filter((line) => !aboutCut.test(line));
  const [one, other] = [linesOf(text), linesOf(harmless)];
  if (one.length > other.length) return [`${one.length - other.length} more lines outside the fence`];
  // A code that is no code any more is fenced, and leaves its line: then they cannot be compared one by one.
  if (one.length < other.length) return [];
  // The first line is a sentence, not a row.
  const wider = one.filter((line, index) => index > 0 && columns(line) > columns(other[index] ?? ''));
  return wider.length > 0 ? [`a line has more columns: ${wider[0]?.slice(0, 80)}`] : [];
}

/** What is wrong with how an answer shows texts that hold the marks of their kinds; nothing, if all is well. */
export function envelopeFaults({ text, data }: TwoForms): string[] {
  const characters = [text, ...strings(data).map((one) => one.text)].flatMap(forbiddenFault).slice(0, 1);
  return [...new Set([...characters, ...structuredFaults(data), ...textFaults(text)])];
}
