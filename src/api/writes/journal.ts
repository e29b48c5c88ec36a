import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { OldValues } from '../../contract/lookups/old-values.ts';
import type { Operation } from '../../contract/operation.ts';
import { AcademyError, type WriteOutcome } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { JournalLines } from './journal-file.ts';

// What was changed, and what it was before: so that it can be seen and undone. Unlike the audit log, it has values.

/** One tool call that writes. All its writes are one change. */
export interface Origin {
  readonly tool: string;
  readonly caller: string;
  readonly traceId?: string | undefined;
  /** Missing for a call outside of a tool. */
  readonly change?: { readonly id: string; readonly conversation: string; wasJournaled?: boolean } | undefined;
}

/** What a caller knows of a write before it is sent. */
export interface JournalFacts {
  /** The values that it overwrites or takes away; missing if they were not read. */
  readonly old?: OldValues | undefined;
  /** The id of the write that it undoes. */
  readonly undoes?: string | undefined;
}

/** `running`: sent by this process, and not answered yet. */
export type PartOutcome = WriteOutcome | 'running';

/** One write of a change. */
export interface Part extends JournalFacts {
  readonly id: string;
  /** Milliseconds since 1970: when it was sent, and when its outcome was known. */
  readonly at: number;
  readonly endedAt?: number | undefined;
  readonly operation: string;
  readonly input: Json;
  readonly outcome: PartOutcome;
  /** New values as the answer showed them. */
  readonly shown: Json;
  /** The course of a lesson: the API cannot find a lesson by its id. */
  readonly course?: number | undefined;
  /** The id of the record that it created. */
  readonly created?: number | undefined;
}

export interface Change {
  readonly id: string;
  readonly at: number;
  readonly tool: string;
  readonly caller: string;
  readonly conversation: string;
  readonly parts: readonly Part[];
  /** What the tool adds about the change as a whole. */
  readonly facts: Json;
}

export interface JournalReading {
  /** Oldest first. */
  readonly changes: readonly Change[];
  /** Lines that a crash cut, or that are not of this program. */
  readonly unreadable: number;
  /** Whether a write, or all of an outline, was undone and not redone. */
  isUndone(id: string): boolean;
}

export type Journal = ReturnType<typeof createJournal>;
export type WriteRecord = ReturnType<Journal['record']>;

/** Short enough to copy, and unique among the changes of a journal. */
export const newChangeId = () => `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;

const maxRequestId = 64;
const plainId = (id = '') => id.replace(/[^\x20-\x7e]|["\\]/g, '').slice(0, maxRequestId);

/** The values of the sent fields as an answer shows them; a field may be an attribute, or an object with an id. */
function shownIn({ body }: Operation, answer: object): Json {
  const { attributes, group, ...own }: Json = { ...answer };
  const fields: Json = { ...own, ...(isObject(attributes) ? attributes : {}) };
  if (isObject(group)) fields.group_id = group.id;
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => name in body && value !== undefined));
}

const idIn = (record: object) => ('id' in record && typeof record.id === 'number' ? { created: record.id } : {});

const json = z.record(z.string(), z.unknown());
const old = z.object({ values: json, cut: z.array(z.string()).default([]) });

/** A line as this program writes it: before a write, after it, and facts about the whole change. */
const journalLine = z.discriminatedUnion('line', [
  z.object({
    line: z.literal('sent'),
    at: z.number(),
    change: z.string(),
    part: z.string(),
    ...{ tool: z.string(), caller: z.string(), conversation: z.string() },
    operation: z.string(),
    input: json,
    old: old.optional(),
    undoes: z.string().optional(),
    course: z.number().optional(),
  }),
  z.object({
    line: z.literal('done'),
    at: z.number(),
    part: z.string(),
    outcome: z.enum(['applied', 'not_applied', 'outcome_unknown']),
    shown: json,
    created: z.number().optional(),
  }),
  z.object({ line: z.literal('note'), at: z.number(), change: z.string(), facts: json }),
]);

/** The changes that lines tell of. `running`: the writes that this process has sent and that have no answer yet. */
function changesIn(lines: readonly z.infer<typeof journalLine>[], running: ReadonlySet<string>): Change[] {
  const changes = new Map<string, Change & { parts: Part[]; facts: Json }>();
  const parts = new Map<string, Part>();
  for (const line of lines) {
    if (line.line === 'done') {
      const { outcome, shown, created, at: endedAt } = line;
      Object.assign(parts.get(line.part) ?? {}, { outcome, shown, endedAt, ...(created !== undefined && { created }) });
      continue;
    }
    const { change: id, at } = line;
    const change = changes.get(id) ?? { id, at, tool: '', caller: '', conversation: '', parts: [], facts: {} };
    changes.set(id, change);
    if (line.line === 'note') {
      Object.assign(change.facts, line.facts);
      continue;
    }
    const { part, tool, caller, conversation, operation, input, old: before, undoes, course } = line;
    const outcome = running.has(part) ? 'running' : 'outcome_unknown';
    const sent: Part = { id: part, at, operation, input, outcome, shown: {}, old: before, undoes, course };
    Object.assign(change, { tool, caller, conversation });
    change.parts.push(sent);
    parts.set(part, sent);
  }
  return [...changes.values()].filter((change) => change.parts.length > 0);
}

/** Says which writes and outlines are undone. A write is undone by a write, the outline of a course by that of a change. */
function undoneIn(changes: readonly Change[]): JournalReading['isUndone'] {
  const undoing = new Map<unknown, string[]>();
  const add = (undone: unknown, by: string) => {
    if (undone !== undefined) undoing.set(undone, [...(undoing.get(undone) ?? []), by]);
  };
  for (const { id, parts, facts } of changes) {
    for (const part of parts) if (part.outcome === 'applied') add(part.undoes, part.id);
    for (const fact of Object.values(facts)) if (isObject(fact)) add(fact.undoes, id);
  }
  // What undoes may itself be undone.
  const isUndone = (id: string): boolean => [...(undoing.get(id) ?? [])].some((by) => !isUndone(by));
  return isUndone;
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
      return new AcademyError('journal_unavailable', 'the journal of changes cannot be written, so nothing was sent', {
        hint: 'The operator of this server should check ACADEMY_JOURNAL; the server log says more.',
        outcome: 'not_applied',
        cause,
      });
    }
  }

  return {
    /** The two lines of one write. */
    record: (operation: Operation, input: Json, origin?: Origin, facts?: JournalFacts, course?: number) => {
      const part = randomUUID();
      const { tool = 'none', caller = 'none', traceId: trace_id, change } = origin ?? {};
      const { id, conversation } = change ?? { id: newChangeId(), conversation: '' };
      const record = {
        /** The API's id of a request of this write. */
        requestId: undefined as string | undefined,
        /** Writes the first line, once. Returns the error if that fails: then nothing may be sent. */
        begin: async (): Promise<AcademyError | undefined> => {
          if (running.has(part)) return undefined;
          const what = { operation: operation.id, undo: operation.undo, input, ...facts, course };
          const of = { change: id, part, tool, caller, conversation, trace_id };
          const problem = await add({ line: 'sent', ...of, ...what });
          if (problem !== undefined) return problem;
          running.add(part);
          if (change !== undefined) change.wasJournaled = true;
          return undefined;
        },
        /** Writes the second line, if there is a first one. If that fails, the answer counts, and the outcome stays unknown. */
        end: async (outcome: WriteOutcome, answer: object): Promise<void> => {
          if (!running.has(part)) return;
          const made = operation.effect === 'create' ? idIn(answer) : {};
          const shown = shownIn(operation, answer);
          await add({ line: 'done', part, outcome, ...made, shown, request_id: plainId(record.requestId) });
          running.delete(part);
        },
      };
      return record;
    },
    /** Adds facts to a change. */
    note: (change: string, facts: Json) => add({ line: 'note', change, facts }),
    /** Notes what reading back showed of a write of unknown outcome. */
    settle: ({ id }: Part, outcome: WriteOutcome, record: object) =>
      add({ line: 'done', part: id, outcome, shown: {}, verified: true, ...idIn(record) }),
    read: (): JournalReading => {
      const own = lines.read().filter((line) => line?.academy === undefined || line.academy === academy);
      const known = own.map((line) => journalLine.safeParse(line)).flatMap(({ data }) => data ?? []);
      const changes = changesIn(known, running);
      return { changes, unreadable: own.length - known.length, isUndone: undoneIn(changes) };
    },
    close: lines.close,
  };
}
