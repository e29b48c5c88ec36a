import { randomBytes, randomUUID } from 'node:crypto';
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
}

/** The two lines of one write. */
export interface WriteRecord {
  /** Writes the first line, once. Throws `journal_unavailable`: then nothing may be sent. */
  begin(): Promise<void>;
  /** The API's id of a request of this write. */
  answered(requestId: string | undefined): void;
  /** Writes the second line, if there is a first one. Throws `journal_unavailable`. */
  end(outcome: WriteOutcome, answer: object): Promise<void>;
}

export interface Journal {
  record(
    operation: Operation,
    input: Json,
    origin: Origin | undefined,
    facts: JournalFacts,
    course?: number,
  ): WriteRecord;
  /** Adds facts to a change. Throws `journal_unavailable`. */
  note(change: string, facts: Json): Promise<void>;
  /** Notes what reading back showed of a write of unknown outcome. */
  settle(part: Part, outcome: WriteOutcome, record: object): Promise<void>;
  read(): JournalReading;
  close(): Promise<void>;
}

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

function createdIn({ effect }: Operation, answer: object): { created?: number } {
  return effect === 'create' && 'id' in answer && typeof answer.id === 'number' ? { created: answer.id } : {};
}

function unavailable(cause: unknown): AcademyError {
  return new AcademyError('journal_unavailable', 'the journal of changes cannot be written, so nothing was sent', {
    hint: 'The operator of this server should check ACADEMY_JOURNAL; the server log says more.',
    outcome: 'not_applied',
    cause,
  });
}

/** Adds a line to what is known of the changes. Returns false for a line that is not of this program. */
function addLine(line: Json, changes: Map<string, Change>, places: Map<string, string>): boolean {
  const { change: id, part, at, tool, caller, conversation, operation, input, facts } = line;
  if (typeof at !== 'number') return false;
  const known = typeof id === 'string' ? changes.get(id) : undefined;
  if (line.line === 'note' && typeof id === 'string' && isObject(facts)) {
    const empty = { id, at, tool: '', caller: '', conversation: '', parts: [], facts: {} };
    const { facts: before, ...others } = known ?? empty;
    changes.set(id, { ...others, facts: { ...before, ...facts } });
    return true;
  }
  if (typeof part !== 'string') return false;
  if (line.line === 'sent' && typeof id === 'string' && typeof operation === 'string' && isObject(input)) {
    const { old, undoes, course } = line as JournalFacts & { course?: number };
    const sent: Part = { id: part, at, operation, input, outcome: 'outcome_unknown', shown: {}, old, undoes, course };
    const { parts = [], facts: noted = {} } = known ?? {};
    const who = { tool: String(tool), caller: String(caller), conversation: String(conversation) };
    changes.set(id, { id, at: known?.at ?? at, ...who, parts: [...parts, sent], facts: noted });
    places.set(part, id);
    return true;
  }
  const change = changes.get(places.get(part) ?? '');
  if (line.line !== 'done' || change === undefined) return line.line === 'done';
  const { outcome, shown, created } = line;
  const done = { endedAt: at, outcome: outcome as WriteOutcome, shown: isObject(shown) ? shown : {} };
  const made = typeof created === 'number' ? { created } : {};
  const parts = change.parts.map((one) => (one.id === part ? { ...one, ...done, ...made } : one));
  changes.set(change.id, { ...change, parts });
  return true;
}

/** `academy`: whose changes these are. A file may have those of several academies; each sees its own. */
export function createJournal(lines: JournalLines, academy: string): Journal {
  const running = new Set<string>();

  async function add(line: Json): Promise<void> {
    try {
      await lines.append({ ...line, at: Date.now(), academy });
    } catch (error) {
      throw unavailable(error);
    }
  }

  return {
    record: (operation, input, origin, facts, course) => {
      const part = randomUUID();
      const { tool = 'none', caller = 'none', traceId, change } = origin ?? {};
      const of = change ?? { id: newChangeId(), conversation: '' };
      let requestId: string | undefined;
      return {
        begin: async () => {
          if (running.has(part)) return;
          const { id, conversation } = of;
          const trace = traceId === undefined ? {} : { trace_id: traceId };
          const what = { operation: operation.id, undo: operation.undo, input, ...facts, course };
          await add({ line: 'sent', change: id, part, tool, caller, conversation, ...what, ...trace });
          running.add(part);
          if (change !== undefined) change.wasJournaled = true;
        },
        answered: (id) => {
          requestId = id ?? requestId;
        },
        end: async (outcome, answer) => {
          if (!running.has(part)) return;
          const shown = shownIn(operation, answer);
          const request_id = plainId(requestId);
          const line = { line: 'done', part, outcome, ...createdIn(operation, answer), shown, request_id };
          await add(line).finally(() => running.delete(part));
        },
      };
    },
    note: (change, facts) => add({ line: 'note', change, facts }),
    settle: ({ id }, outcome, record) =>
      add({ line: 'done', part: id, outcome, shown: {}, verified: true, ...createdId(record) }),
    read: () => {
      const changes = new Map<string, Change>();
      const places = new Map<string, string>();
      let unreadable = 0;
      for (const line of lines.read()) {
        if (line?.academy !== undefined && line.academy !== academy) continue;
        if (line === undefined || !addLine(line, changes, places)) unreadable += 1;
      }
      const isRunning = ({ id, outcome }: Part) => outcome === 'outcome_unknown' && running.has(id);
      const all = [...changes.values()].map((change) => ({
        ...change,
        parts: change.parts.map((part) => (isRunning(part) ? { ...part, outcome: 'running' as const } : part)),
      }));
      return { changes: all.filter(({ parts }) => parts.length > 0), unreadable };
    },
    close: lines.close,
  };
}

const createdId = (record: object) => ('id' in record && typeof record.id === 'number' ? { created: record.id } : {});
