import type { WriteOutcome } from '../../src/shared/errors.ts';
import { compositeWrites } from '../support/composite.ts';
import type { ToolOperation } from './operation.ts';
import type { ToolAnswer } from './tool-answer.ts';

type Data = Readonly<Record<string, unknown>>;

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** The outcome for a list of students: applied if every student now has access. */
function ofStudents({ students }: Data): WriteOutcome {
  const states = Object.values(Object(students)).map((state) => String(state).split(':')[0] ?? '');
  if (states.every((state) => /^(applied|already_there|skipped)$/.test(state))) return 'applied';
  return states.includes('unknown') ? 'outcome_unknown' : 'not_applied';
}

/** The outcome for an outline: the lessons read back decide, if they could be read. */
function ofOutline({ applied, failed, remaining, verified, base_version }: Data): WriteOutcome {
  const isUnknown = JSON.stringify(failed ?? []).includes('outcome_unknown');
  const isRead = base_version !== undefined || !isUnknown;
  const open = lengthOf(remaining) + (verified === true ? 0 : lengthOf(failed));
  if (open === 0 && isRead) return 'applied';
  return isUnknown || lengthOf(applied) > 0 ? 'outcome_unknown' : 'not_applied';
}

function outcomeOf({ tool }: ToolOperation, { data, code }: ToolAnswer): WriteOutcome | undefined {
  // An error of the whole call happens before anything is written.
  if (data === undefined || code !== 'ok') return 'not_applied';
  return tool === 'sync_roster' ? ofStudents(data) : ofOutline(data);
}

/** The outcome that an answer reports for a whole operation: tools with several writes report each write. */
export function claimOf(operation: ToolOperation, answer: ToolAnswer): ToolAnswer {
  if (!compositeWrites.includes(operation.tool)) return answer;
  return { ...answer, outcome: answer.outcome ?? outcomeOf(operation, answer) };
}

/** Whether the operation was refused or failed for this reason, as a whole or in a part. */
export function isCalled(operation: ToolOperation, { code, text }: ToolAnswer, expected: string): boolean {
  // The row of a student says "unknown" for `outcome_unknown`.
  const inPart = `${expected.replace('outcome_', '')}:`;
  return code === expected || (compositeWrites.includes(operation.tool) && text.includes(inPart));
}
