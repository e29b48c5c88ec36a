import { getCourseStructure } from '../../contract/courses.ts';
import { operationById } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Api } from '../api.ts';
import type { Journal, Part } from './journal.ts';
import { cannotTell, type Verification } from './verify/verifier.ts';

/** The platform may make a write late: until then, not seeing it proves nothing. Milliseconds. */
const settlingMs = 15_000;
const isSettled = ({ at }: Part) => Date.now() - at > settlingMs;

interface SettlingOptions {
  readonly journal: Journal | undefined;
  /** Looks for the effect of a write that was sent at this time. */
  readonly look: (operation: Operation, input: object, at: number, api: Api) => Promise<Verification>;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Looks for the effect of writes of unknown outcome, such as those of a program that was killed. */
export function createSettling({ journal, look, pause }: SettlingOptions) {
  async function lookFor({ operation: id, input, course, at }: Part, api: Api): Promise<Verification> {
    const operation = operationById(id);
    if (operation === undefined) return cannotTell;
    try {
      // A lesson is found by its course.
      if (course !== undefined) await api.call(getCourseStructure, { course_id: course });
      return await look(operation, input, at, api);
    } catch (error) {
      if (error instanceof AcademyError && error.code !== 'cancelled') return cannotTell;
      throw error;
    }
  }

  /** Notes in the journal what it sees. Returns whether it saw anything. */
  async function settle(parts: readonly Part[], api: Api): Promise<boolean> {
    let isNew = false;
    for (const part of parts) {
      const seen = await lookFor(part, api);
      const isSeen = seen.state === 'seen';
      if (!isSeen && (seen.state !== 'not_seen' || !isSettled(part))) continue;
      await journal?.settle(part, isSeen ? 'applied' : 'not_applied', (isSeen && seen.record) || {});
      isNew = true;
    }
    return isNew;
  }

  /** All that are open now; those that are too young to prove anything once more, when they are old enough. */
  async function settleAll(api: Api): Promise<void> {
    for (const wait of [0, settlingMs]) {
      const parts = (journal?.read().changes ?? []).flatMap((change) => change.parts);
      const open = parts.filter(({ outcome }) => outcome === 'outcome_unknown');
      if (open.length === 0 || (wait > 0 && open.every(isSettled))) return;
      await pause(wait);
      await settle(open, api);
    }
  }

  return { settle, settleAll };
}
