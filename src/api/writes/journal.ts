import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { OldValues } from '../../contract/lookups.ts';
import type { Operation } from '../../contract/operation.ts';
import { AcademyError, SettingsError, type WriteOutcome } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { checkPrivateFile } from '../../shared/private-file.ts';
import { olderSegments, openSegmentedFile, rotate, type SegmentedFile } from '../../shared/segmented-file.ts';
import { createTtlCache } from '../../shared/ttl-cache.ts';
import { plainId } from './audit-log.ts';

// What was changed, and what it was before: so that it can be seen and undone. Unlike the audit log, it has values.

/** One tool call that writes. All its writes are one change. */
export interface Origin {
  readonly tool: string;
  readonly caller: string;
  readonly traceId?: string | undefined;
  /** Missing for a call outside of a tool. */
  readonly change?:
    | { readonly id: string; readonly conversation: string; hasWritten?: boolean; wasJournaled?: boolean }
    | undefined;
}

/** What a caller knows of a write before it is sent. */
export interface JournalFacts {
  /** The values that it overwrites or takes away; missing if they were not read. */
  readonly old?: OldValues | undefined;
  readonly undoes?: string | undefined;
}

const json = z.record(z.string(), z.unknown());

/** Before a write is sent. `course`: that of a lesson, which the API cannot find by its id alone. */
const sentLine = z.object({
  line: z.literal('sent'),
  ...{ at: z.number(), change: z.string(), part: z.string(), tool: z.string(), caller: z.string() },
  ...{ conversation: z.string(), operation: z.string(), input: json },
  old: z.object({ values: json, id: z.number().optional(), cut: z.array(z.string()).optional() }).optional(),
  ...{ undoes: z.string().optional(), course: z.number().optional() },
});

/** After it. `shown`: new values as the answer showed them. `created`: the id of the record that it created. `course`: that of a lesson. */
const doneLine = z.object({
  line: z.literal('done'),
  ...{ at: z.number(), part: z.string(), shown: json, created: z.number().optional(), course: z.number().optional() },
  outcome: z.enum(['applied', 'not_applied', 'outcome_unknown']),
});

/** After a call: the orders that its writes made, or took something off, as read back. */
const ordersLine = z.object({ line: z.literal('orders'), change: z.string(), orders: z.array(z.string()) });

// A discriminated union reads its members at once: 3 ms and 4 MB of each start, also without a journal.
const journalLine = z.union([sentLine, doneLine, ordersLine]);

export type Part = Omit<z.infer<typeof sentLine>, 'line' | 'part'> &
  Pick<z.infer<typeof doneLine>, 'shown' | 'created'> & {
    readonly id: string;
    /** When its outcome was known, in milliseconds since 1970. */
    readonly endedAt?: number;
    /** `running`: sent by this process, and not answered yet. */
    readonly outcome: WriteOutcome | 'running';
  };

export interface Change extends Pick<Part, 'at' | 'tool' | 'caller' | 'conversation'> {
  readonly id: string;
  readonly parts: readonly Part[];
  /** Ids of the orders that were made, or lost something. */
  readonly orders?: readonly string[];
}

export type Journal = ReturnType<typeof createJournal>;
export type JournalReading = ReturnType<Journal['read']>;
export type WriteRecord = ReturnType<Journal['record']>;

/** Short enough to copy, and unique among the changes of a journal. */
export const newChangeId = () => `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;

const idIn = ({ id }: Json) => (typeof id === 'number' ? { created: id } : {});

/** The changes that lines tell of. `running`: the writes that this process has sent and that have no answer yet. */
function changesIn(lines: readonly z.infer<typeof journalLine>[], running: ReadonlySet<string>): Change[] {
  const changes = new Map<string, Change & { parts: Part[]; orders?: string[] }>();
  const parts = new Map<string, Part>();
  for (const line of lines) {
    if (line.line === 'orders') {
      const change = changes.get(line.change);
      if (change !== undefined) change.orders = [...(change.orders ?? []), ...line.orders];
      continue;
    }
    if (line.line === 'done') {
      const { outcome, shown, created, at: endedAt } = line;
      const part = parts.get(line.part);
      if (part !== undefined)
        Object.assign(part, { outcome, shown, created, endedAt, course: part.course ?? line.course });
      continue;
    }
    const { change: id, part: partId, at, tool, caller, conversation } = line;
    const part: Part = { ...line, id: partId, outcome: running.has(partId) ? 'running' : 'outcome_unknown', shown: {} };
    const change = changes.get(id) ?? { id, at, tool, caller, conversation, parts: [] };
    change.parts.push(part);
    changes.set(id, change);
    parts.set(partId, part);
  }
  return [...changes.values()];
}

/** Finds the writes that have undone another one, without those that were undone themselves. */
function undoingIn(changes: readonly Change[]) {
  const undoing = new Map<string, Part[]>();
  for (const part of changes.flatMap(({ parts }) => parts))
    if (part.undoes !== undefined && part.outcome === 'applied')
      undoing.set(part.undoes, [...(undoing.get(part.undoes) ?? []), part]);
  const undosOf = (id: string): Part[] => (undoing.get(id) ?? []).filter((by) => undosOf(by.id).length === 0);
  return undosOf;
}

/** `academy`: whose changes these are. A file may have those of several academies; each sees its own. */
export function createJournal(lines: JournalLines, academy: string, log: Logger) {
  const running = new Set<string>();

  async function add(line: Json): Promise<AcademyError | undefined> {
    try {
      await lines.append({ ...line, at: Date.now(), academy });
      return undefined;
    } catch (cause) {
      log.error({ err: cause }, 'the journal of changes cannot be written');
      const hint = 'The operator of this server should check ACADEMY_JOURNAL; the server log says more.';
      const message = 'the journal of changes cannot be written, so nothing was sent';
      return new AcademyError('journal_unavailable', message, { hint, outcome: 'not_applied', cause });
    }
  }

  return {
    /** The two lines of one write. */
    record: (
      { id: operation, effect, undo, body }: Pick<Operation, 'id' | 'effect' | 'undo' | 'body'>,
      input: Json,
      origin?: Origin,
      facts?: JournalFacts,
      course?: number,
    ) => {
      const part = randomUUID();
      const { tool = 'none', caller = 'none', traceId: trace_id, change } = origin ?? {};
      const of = { change: change?.id ?? newChangeId(), part, tool, caller, trace_id };
      const record = {
        requestId: undefined as string | undefined,
        /** Writes the first line, once. Returns the error if that fails: then nothing may be sent. */
        begin: async (): Promise<AcademyError | undefined> => {
          if (running.has(part)) return undefined;
          const { conversation = '' } = change ?? {};
          const problem = await add({ line: 'sent', ...of, conversation, operation, undo, input, ...facts, course });
          if (problem !== undefined) return problem;
          running.add(part);
          if (change !== undefined) change.wasJournaled = true;
          return undefined;
        },
        /** Writes the second line, if there is a first one. `fields`: those of the record in the answer, by argument. */
        end: async (outcome: WriteOutcome, fields: Json): Promise<void> => {
          if (!running.has(part)) return;
          const created = effect === 'create' ? idIn(fields) : {};
          // Some answers show a course that the request did not name; without it, a lesson cannot be read.
          const shownCourse = typeof fields.course_id === 'number' &&
            !('course_id' in body) && { course: fields.course_id };
          const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => name in body));
          const request_id = plainId(record.requestId);
          await add({ line: 'done', part, outcome, ...created, ...shownCourse, shown, request_id });
          running.delete(part);
        },
      };
      return record;
    },
    /** Notes the orders that the writes of a change touched. */
    noteOrders: (change: string, orders: readonly string[]) => add({ line: 'orders', change, orders }),
    /** Notes what reading back showed of a write of unknown outcome. */
    settle: ({ id }: Part, outcome: WriteOutcome, record: object) =>
      add({ line: 'done', part: id, outcome, shown: {}, verified: true, ...idIn({ ...record }) }),
    /** All changes, the oldest first. `unreadable`: lines that a crash cut, or that are not of this program. */
    read: () => {
      const own = lines.read().filter((line) => line?.academy === undefined || line.academy === academy);
      const known = own.flatMap((line) => journalLine.safeParse(line).data ?? []);
      const changes = changesIn(known, running);
      return { changes, unreadable: own.length - known.length, undosOf: undoingIn(changes) };
    },
    close: lines.close,
  };
}

export interface JournalLines extends SegmentedFile {
  /** All lines, oldest first; undefined for one that is no JSON, such as one that a crash cut. */
  read(): (Json | undefined)[];
}

function parsed(text: string): Json | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Characters of the lines in memory, since some have long texts. Above that, the oldest go first. */
const maxInMemory = 8_000_000;

export function journalInMemory(): JournalLines {
  const limits = { maxEntries: 1_000_000, maxWeight: maxInMemory, weigh: (text: string) => text.length };
  const lines = createTtlCache<string>({ ttlMs: Number.POSITIVE_INFINITY, ...limits });
  return {
    append: async (line) => lines.set(randomUUID(), JSON.stringify(line)),
    read: () => lines.values().map(parsed),
    close: async () => {},
  };
}

const setting = 'ACADEMY_JOURNAL';

/** A user who can write the file decides what an undo writes. Windows has no such owners. */
function check(file: string): void {
  checkPrivateFile(file, setting);
  const { uid } = userInfo();
  const owner = lstatSync(file, { throwIfNoEntry: false })?.uid ?? uid;
  if (uid >= 0 && owner !== uid)
    throw new SettingsError(`${setting} cannot be used: the file belongs to another user (${owner})`);
}

function textsIn(file: string): string[] {
  check(file);
  // Another process may have renamed or deleted it.
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.split('\n').filter(Boolean);
}

/** A file that any number of processes may share, and the older ones beside it. Throws `SettingsError` if it is unsafe. */
export function journalInFile(file: string, maxBytes?: number): JournalLines {
  check(file);
  const read = () => [...olderSegments(file), file].flatMap(textsIn).map(parsed);
  return { ...openSegmentedFile(file, setting, maxBytes), read };
}

/** Time for another process to finish the line that it is writing. */
const settleMs = 200;

/** Deletes all lines from before a time, in milliseconds since 1970, and those that cannot be read. Returns how many. */
export async function purgeJournal(file: string, before: number): Promise<number> {
  check(file);
  // Servers that write go on in a new file.
  rotate(file, Number.POSITIVE_INFINITY);
  await setTimeout(settleMs);
  let purged = 0;
  for (const segment of olderSegments(file)) {
    const texts = textsIn(segment);
    const left = texts.filter((text) => Number(parsed(text)?.at ?? 0) >= before);
    purged += texts.length - left.length;
    const fresh = `${segment}.purged`;
    writeFileSync(fresh, left.map((text) => `${text}\n`).join(''), { mode: 0o600, flush: true });
    renameSync(fresh, segment);
    if (left.length === 0) rmSync(segment);
  }
  return purged;
}
