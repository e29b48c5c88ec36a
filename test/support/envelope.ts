/** An answer in its two forms. */
export interface TwoForms {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** Visible format characters, such as Arabic number signs. */
const seen = '\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}';
const unseen = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}';

/** Characters that no answer may contain: controls, bidi, zero-width, tags, selectors, lone surrogates, noncharacters. */
const forbidden = new RegExp(`(?![\\n\\t${seen}])[${unseen}\\p{Noncharacter_Code_Point}]`, 'u');

/** An emoji with its tone, its form and the emoji joined to it: here the joiners are needed. */
const emoji =
  /\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}]?\uFE0F?(?:\u200D\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}]?\uFE0F?)*/gu;

/** The first forbidden character of a text, if there is one. */
export function forbiddenIn(text: string): string | undefined {
  return forbidden.exec(text.replace(emoji, ''))?.[0];
}

/** The problem of a text that contains a forbidden character. */
export function forbiddenFault(text: string): string[] {
  const found = forbiddenIn(text);
  return found === undefined ? [] : [`a forbidden character: ${JSON.stringify(found)}`];
}

const maxName = 200;

/** Values outside `untrusted` that may be longer than a name: several names in a sentence, a title that an undo restores. */
const longerNames: Readonly<Record<string, number>> = {
  warnings: 1_000,
  plan: 1_000,
  not_taken: 1_200,
  products: 1_000,
  undo_lessons: 255,
};

interface Found {
  readonly text: string;
  readonly fenced: boolean;
  /** The maximum length of such a value if it contains a name. */
  readonly longest: number;
}

/** The strings of the structured form, including keys: inside and outside `untrusted`. */
function strings(value: unknown, fenced = false, longest = maxName): Found[] {
  if (typeof value === 'string') return [{ text: value, fenced, longest }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => [
    { text: key, fenced, longest },
    ...strings(entry, fenced || key === 'untrusted' || key === 'academy_text', longerNames[key] ?? longest),
  ]);
}

/** Removes the fence that closes with the last line. */
function fenceAtEnd(lines: readonly string[], mark: string) {
  const nonce = new RegExp(`^</${mark}-([0-9a-f]{32})>$`).exec(lines.at(-1) ?? '')?.[1];
  const opening = lines.indexOf(`<${mark}-${nonce}>`);
  if (nonce === undefined || opening < 0) return { nonce: undefined, outside: lines, inside: [] };
  // The line before the opening mark announces it.
  return { nonce, outside: lines.slice(0, opening - 1), inside: lines.slice(opening + 1, -1) };
}

/** The text form, split at the marks with its nonces. Only a last line can be a closing mark. */
export function partsOf(text: string) {
  const members = fenceAtEnd(text.split('\n'), 'untrusted-data');
  const academy = fenceAtEnd(members.outside, 'academy-text');
  const nonces = [members.nonce, academy.nonce].filter((nonce) => nonce !== undefined);
  return { nonces, outside: academy.outside, inside: [...academy.inside, ...members.inside] };
}

/** Values that a client gives back are JSON: their quotes show where each value ends. */
const isJson = (line: string) => /^\w+: [[{]/.test(line);

/** Any text between JSON string quotes is a value. */
const anyQuoted = /"(?:[^"\\]|\\.)*"/g;

/** Columns of a line: bars inside a value are within quotes. */
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

/** "orders (25):", followed by the header of the table. */
const tableTitle = /^\w+ \((\d+)\):$/;

/** The lines outside tables, and rows that are wider than their header. */
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

/** The program's own line about a title that is too long to restore. */
const aboutUndo = /^(Warning: )?undo cannot fully restore these lessons: /;

/** The program's own line about texts that it cleaned or cut. */
const aboutAltered = /^altered_for_display \(differs from the stored text\): /;

/** The program's own line before old values, of which the long ones are in the fence below it. */
const aboutOldValues = /^before: $/;

/** The lines without those that a harmless answer need not have. */
export const countedLines = (lines: readonly string[]) =>
  lines.filter((line) => ![aboutUndo, aboutAltered, aboutOldValues].some((own) => own.test(line)));

/** The program's own line that the answer was cut, and how to continue. */
const aboutCut = /^(cut: (cut to \d+ of \d+ records|too long to show)|next_cursor: [\w~-]+$)/;

/** The header of an outline: where lessons differ, it has a column more. A bar in a name of a column would be within quotes. */
const outlineHeader = /^id \| sequence \| title( \| \w+)*$/;

/** Lines and columns that a harmless answer of the same shape does not have. */
export function addedBy(text: string, harmless: string): string[] {
  const linesOf = (form: string) =>
    countedLines(withoutTables(partsOf(form).outside)).filter((line) => !aboutCut.test(line));
  const [one, other] = [linesOf(text), linesOf(harmless)];
  if (one.length > other.length) return [`${one.length - other.length} more lines outside the fence`];
  // A value that no longer is a code moves from its line into the fence: then lines cannot be compared one by one.
  if (one.length < other.length) return [];
  // The first line is a sentence, not a row.
  const outline = columns(one.find((line) => outlineHeader.test(line)) ?? '');
  const wider = one.filter(
    (line, index) => index > 0 && columns(line) > Math.max(columns(other[index] ?? ''), outline),
  );
  return wider.length > 0 ? [`a line has more columns: ${wider[0]?.slice(0, 80)}`] : [];
}

/** The problems in how an answer shows texts with the marks of their kinds; empty if there are none. */
export function envelopeFaults({ text, data }: TwoForms): string[] {
  const characters = [text, ...strings(data).map((one) => one.text)].flatMap(forbiddenFault).slice(0, 1);
  return [...new Set([...characters, ...structuredFaults(data), ...textFaults(text)])];
}
