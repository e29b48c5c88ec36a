import * as z from 'zod';

// A journal is a file of JSON lines: a header for each account, before its first write; and the writes.

const time = z.iso.datetime();

/** What the seeded data of an account follow from. */
const journalHeader = z.strictObject({
  journal: z.literal(1),
  account: z.string(),
  seed: z.int(),
  students: z.int(),
  orders: z.int(),
  sequence: z.enum(['absolute', 'shift']),
  now: time,
});

/** One accepted write, or something that happened by itself. */
const journalEntry = z.strictObject({
  at: time,
  account: z.string(),
  /** The id of an operation, or `activity.` and the name of a happening. */
  operation: z.string(),
  input: z.unknown(),
});

export type JournalHeader = z.infer<typeof journalHeader>;
export type JournalEntry = z.infer<typeof journalEntry>;

/** Where an entry stands, for error messages. */
export interface NumberedEntry extends JournalEntry {
  line: number;
}

/** What a journal file holds. */
export interface JournalContent {
  headers: JournalHeader[];
  entries: NumberedEntry[];
  /** Bytes up to the end of the last whole line. */
  completeBytes: number;
  /** Whether the last line lacks nothing but its line feed. */
  needsLineFeed: boolean;
}

/**
 * Reads the bytes of a journal. A last line that a crash has cut is left out: its write was never answered. Any
 * other line that cannot be read throws an Error naming `file` and the line.
 */
export function readJournal(bytes: Buffer, file: string): JournalContent {
  const end = bytes.lastIndexOf('\n') + 1;
  const needsLineFeed = end < bytes.length && parseLine(bytes.toString('utf8', end)) !== undefined;
  const completeBytes = needsLineFeed ? bytes.length : end;
  const lines = bytes.toString('utf8', 0, completeBytes).split('\n');
  if (!needsLineFeed) lines.pop();
  const content: JournalContent = { headers: [], entries: [], completeBytes, needsLineFeed };
  lines.forEach((text, index) => {
    addLine(content, text, index + 1, file);
  });
  return content;
}

function addLine(content: JournalContent, text: string, line: number, file: string): void {
  const parsed = parseLine(text);
  if (parsed === undefined) throw new Error(`--data ${file}, line ${line}: is not a line of a sandbox journal`);
  if ('journal' in parsed) content.headers.push(parsed);
  else content.entries.push({ ...parsed, line });
}

const journalLine = z.union([journalHeader, journalEntry]);

function parseLine(text: string): JournalHeader | JournalEntry | undefined {
  try {
    return journalLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
