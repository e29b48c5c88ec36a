import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { OldValues } from '../../contract/lookups.ts';
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

/** One write of a change. */
export type Part = Omit<z.infer<typeof sentLine>, 'line' | 'part'> & {
  readonly id: string;
  /** When its outcome was known, in milliseconds since 1970. */
  readonly endedAt?: number;
  /** `running`: sent by this process, and not answered yet. */
  readonly outcome: WriteOutcome | 'running';
  /** New values as the answer showed them. */
  readonly shown: Json;
  /** The id of the record that it created. */
  readonly created?: number | undefined;
};

export interface Change extends Pick<Part, 'at' | 'tool' | 'caller' | 'conversation'> {
  readonly id: string;
  readonly parts: readonly Part[];
}

export interface JournalReading {
  /** Oldest first. */
  readonly changes: readonly Change[];
  /** Lines that a crash cut, or that are not of this program. */
  readonly unreadable: number;
  /** The write that has undone another one, unless it was undone itself. */
  undoneBy(id: string): Part | undefined;
}

export type Journal = ReturnType<typeof createJournal>;
export type WriteRecord = ReturnType<Journal['record']>;

/** Short enough to copy, and unique among the changes of a journal. */
export const newChangeId = () => `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;

const maxRequestId = 64;
const plainId = (id = '') => id.replace(/[^\x20-\x7e]|["\\]/g, '').slice(0, maxRequestId);

type Recorded = Pick<Operation, 'id' | 'effect' | 'undo' | 'body'>;

/** The values of the sent fields as an answer shows them; a field may be an attribute, or an object with an id. */
function shownIn({ body }: Recorded, answer: object): Json {
  const { attributes, group, ...own }: Json = { ...answer };
  const fields: Json = { ...own, ...(isObject(attributes) ? attributes : {}) };
  if (isObject(group)) fields.group_id = group.id;
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => name in body && value !== undefined));
}

const idIn = (record: object) => ('id' in record && typeof record.id === 'number' ? { created: record.id } : {});

const json = z.record(z.string(), z.unknown());
const old = z.object({ values: json, cut: z.array(z.string()).optional() });

/** Before a write is sent. `course`: that of a lesson, which the API cannot find by its id alone. */
const sentLine = z.object({
  line: z.literal('sent'),
  at: z.number(),
  ...{ change: z.string(), part: z.string(), tool: z.string(), caller: z.string(), conversation: z.string() },
  ...{ operation: z.string(), input: json },
  ...{ old: old.optional(), undoes: z.string().optional(), course: z.number().optional() },
});

/** After it. */
const doneLine = z.object({
  line: z.literal('done'),
  ...{ at: z.number(), part: z.string(), shown: json, created: z.number().optional() },
  outcome: z.enum(['applied', 'not_applied', 'outcome_unknown']),
});

// A discriminated union reads its members at once: 3 ms and 4 MB of each start, also without a journal.
const journalLine = z.union([sentLine, doneLine]);

/** The changes that lines tell of. `running`: the writes that this process has sent and that have no answer yet. */
function changesIn(lines: readonly z.infer<typeof journalLine>[], running: ReadonlySet<string>): Change[] {
  const changes = new Map<string, Change & { parts: Part[] }>();
  const parts = new Map<string, Part>();
  for (const line of lines) {
    if (line.line === 'done') {
      const { outcome, shown, created, at: endedAt } = line;
      Object.assign(parts.get(line.part) ?? {}, { outcome, shown, created, endedAt });
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

/** Finds what has undone a write. What undoes may itself be undone. */
function undoneIn(changes: readonly Change[]): JournalReading['undoneBy'] {
  const undoing = new Map<string, Part[]>();
  for (const part of changes.flatMap(({ parts }) => parts))
    if (part.undoes !== undefined && part.outcome === 'applied')
      undoing.set(part.undoes, [...(undoing.get(part.undoes) ?? []), part]);
  const undoneBy = (id: string): Part | undefined => undoing.get(id)?.find((by) => undoneBy(by.id) === undefined);
  return undoneBy;
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
    record: (operation: Recorded, input: Json, origin?: Origin, facts?: JournalFacts, course?: number) => {
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
    /** Notes what reading back showed of a write of unknown outcome. */
    settle: ({ id }: Part, outcome: WriteOutcome, record: object) =>
      add({ line: 'done', part: id, outcome, shown: {}, verified: true, ...idIn(record) }),
    read: (): JournalReading => {
      const own = lines.read().filter((line) => line?.academy === undefined || line.academy === academy);
      const known = own.map((line) => journalLine.safeParse(line)).flatMap(({ data }) => data ?? []);
      const changes = changesIn(known, running);
      return { changes, unreadable: own.length - known.length, undoneBy: undoneIn(changes) };
    },
    close: lines.close,
  };
}
