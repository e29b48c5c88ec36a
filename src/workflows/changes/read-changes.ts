import type { Change, Journal, JournalReading, Part, PartOutcome } from '../../api/writes/journal.ts';
import { getCourseStructure } from '../../contract/courses.ts';
import { operations } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';

const byId = new Map<string, Operation>(operations.map((operation) => [operation.id, operation]));

/** The operation of a write; undefined for one of another version of this program. */
export const operationOf = ({ operation }: Part): Operation | undefined => byId.get(operation);

export function journalOf({ journal }: Pick<ToolContext, 'journal'>): Journal {
  if (journal === undefined) throw new AcademyError('internal', 'this server keeps no journal');
  return journal;
}

/** The platform may make a write late: until then, not seeing it proves nothing. Milliseconds. */
const settlingMs = 15_000;
/** Most writes of unknown outcome that one call looks for. */
const maxVerified = 20;

async function outcomeNow(
  part: Part,
  { api, seeEffect, now }: ToolContext,
): Promise<{ outcome: PartOutcome; record: object }> {
  const unknown = { outcome: 'outcome_unknown' as const, record: {} };
  const operation = operationOf(part);
  if (operation === undefined) return unknown;
  try {
    // A lesson is found by its course.
    if (part.course !== undefined) await api.call(getCourseStructure, { course_id: part.course });
    const seen = await seeEffect(operation, part.input, part.at);
    if (seen.state === 'seen') return { outcome: 'applied', record: seen.record ?? {} };
    const isLate = now().getTime() - part.at > settlingMs;
    return seen.state === 'not_seen' && isLate ? { outcome: 'not_applied', record: {} } : unknown;
  } catch (error) {
    if (error instanceof AcademyError && error.code !== 'cancelled') return unknown;
    throw error;
  }
}

/** Looks for the effect of writes of unknown outcome, such as those of a program that was killed, and notes what it saw. */
export async function verifyUnknown(changes: readonly Change[], context: ToolContext): Promise<boolean> {
  const parts = changes.flatMap((change) => change.parts).filter(({ outcome }) => outcome === 'outcome_unknown');
  let isNew = false;
  for (const part of parts.slice(0, maxVerified)) {
    const { outcome, record } = await outcomeNow(part, context);
    if (outcome === 'outcome_unknown' || outcome === 'running') continue;
    await journalOf(context).settle(part, outcome, record);
    isNew = true;
  }
  return isNew;
}

/** All changes, and which of their writes are undone. */
export interface Changes extends JournalReading {
  /** Whether a write, or all of an outline, was undone and not redone. */
  isUndone(id: string): boolean;
}

export function readChanges(context: Pick<ToolContext, 'journal'>): Changes {
  const reading = journalOf(context).read();
  const ids = new Set(reading.changes.map(({ id }) => id));
  const undoing = new Map<string, Set<string>>();
  for (const change of reading.changes) {
    for (const { id, undoes, outcome } of change.parts) {
      if (undoes === undefined || outcome !== 'applied') continue;
      // The outline of a course is undone by a change, any other write by a write: either may itself be undone.
      const by = ids.has(undoes) ? change.id : id;
      undoing.set(undoes, (undoing.get(undoes) ?? new Set()).add(by));
    }
  }
  const isUndone = (id: string): boolean => [...(undoing.get(id) ?? [])].some((by) => !isUndone(by));
  return { ...reading, isUndone };
}
