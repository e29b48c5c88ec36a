import * as z from 'zod';

// A journal is a file of JSON lines: the writes, and for each account a header before its first write.

const time = z.iso.datetime();

/** The settings that decide the seeded data of an account. */
const journalHeader = z.strictObject({
  journal: z.literal(1),
  account: z.string(),
  seed: z.int(),
  students: z.int(),
  orders: z.int(),
  sequence: z.enum(['absolute', 'shift']),
  now: time,
});

/** One accepted write or simulated activity. */
const journalEntry = z.strictObject({
  at: time,
  account: z.string(),
  /** The id of an operation, or `activity.` and the name of an activity. */
  operation: z.string(),
  input: z.unknown(),
});

export type JournalHeader = z.infer<typeof journalHeader>;
export type JournalEntry = z.infer<typeof journalEntry>;

/** An entry with its line number, for error messages. */
export interface NumberedEntry extends JournalEntry {
  line: number;
}

/** The content of a journal file. */
export interface JournalContent {
  headers: JournalHeader[];
  entries: NumberedEntry[];
  /** Bytes up to the end of the last complete line. */
  completeBytes: number;
  /** Whether the last line is complete except for its line feed. */
  needsLineFeed: boolean;
}

/**
 * Parses a journal. Drops a last line that a crash cut: its write was never answered. Throws an Error that names `file`
 * and the line for any other invalid line.
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
  if (parsed === undefined) throw new Error(`--data ${file}, line ${line}: not a line of a sandbox journal`);
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
