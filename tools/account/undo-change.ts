import * as z from 'zod';
import type { Change } from '../../src/api/writes/journal.ts';
import { dateOrTime, flag, limitedText } from '../../src/contract/schemas/input-fields.ts';
import { isoTime, resolveMoment } from '../../src/insights/period.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { journalOf, type UndoLine, type UndoResult, undoChanges } from '../../src/workflows/changes/undo.ts';
import { withCut } from '../record-result.ts';

const input = z.strictObject({
  change_ids: z.array(limitedText(60).min(1)).min(1).max(50).optional(),
  conversation: z.literal(true).describe('All of this conversation').optional(),
  since: dateOrTime('ISO 8601 date or time').optional(),
  rename: flag('Also renames created lessons and channels, which are only hidden').optional(),
});
type Question = z.output<typeof input>;

/** The changes that the call names. An undo is chosen only by its id: undoing it makes the old change again. */
async function idsOf({ change_ids, since }: Question, context: ToolContext): Promise<string[]> {
  const { changes } = journalOf(context).read();
  if (change_ids !== undefined) {
    const ids = new Set(changes.map(({ id }) => id));
    const unknown = change_ids.find((id) => !ids.has(id));
    if (unknown === undefined) return [...change_ids];
    throw new AcademyError('not_found', `the journal has no change ${oneLine(unknown, 60)}`, {
      hint: 'list_changes shows the ids.',
      outcome: 'not_applied',
    });
  }
  const from = since === undefined ? undefined : await resolveMoment('since', since, context.timezone);
  const isChosen = ({ at, conversation }: Change) =>
    from === undefined ? conversation === context.change.conversation : at >= from;
  const own = changes.filter((one) => one.caller === context.caller && one.tool !== 'undo_change' && isChosen(one));
  return own.map(({ id }) => id);
}

async function undo({ rename = false, ...question }: Question, isPlan: boolean, context: ToolContext) {
  return await undoChanges(await idsOf(question, context), { isPlan, renames: rename }, context);
}

const labels: Readonly<Record<UndoLine['state'], string>> = {
  undone: 'undo',
  lost: 'cannot be restored',
  conflict: 'not undone, changed since',
  refused: 'not undone',
  failed: 'failed',
  unknown: 'outcome unknown',
  idle: 'nothing to do',
};

/** A line for each write, under its change. Room for three values of a field. */
function linesOf(lines: readonly UndoLine[], done = labels.undone): string[] {
  return lines.map(({ state, text, change: { id, tool, at } }) => {
    const label = state === 'undone' ? done : labels[state];
    return `${label}: ${id} ${tool} of ${isoTime(at)}: ${oneLine(text, 1_000)}`;
  });
}

function totalsOf(lines: readonly UndoLine[]): Record<string, number> {
  const counts = Object.keys(labels).map(
    (state) => [state, lines.filter((one) => one.state === state).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const leftText = (left: number) => `${counted(left, 'older write')} left: then the same call again`;

function planLines({ lines, left }: UndoResult): string[] {
  const { undone: writes = 0 } = totalsOf(lines);
  if (writes > 0) {
    const title = `${counted(writes, 'step')}${writes > 1 ? ', in this order' : ''}:`;
    return [title, ...linesOf(lines), ...(left > 0 ? [leftText(left)] : [])];
  }
  throw new AcademyError('not_applied', ['nothing can be undone', ...linesOf(lines)].join('\n'), {
    hint: lines.every(({ state }) => state === 'idle') ? 'Nothing is left to do here.' : 'Tell the person why.',
    outcome: 'not_applied',
  });
}

function present({ lines, left }: UndoResult, { spent }: Pick<ToolContext, 'spent'>): Presented {
  const totals = totalsOf(lines);
  const { undone, failed, unknown } = totals;
  const said = Object.entries(totals).map(([state, count]) => `${count} ${state}`);
  const again = 'list_changes shows what was undone; call again with the same arguments for the rest';
  const next = failed || unknown ? again : left > 0 ? leftText(left) : undefined;
  const answer = (most: number) => ({
    summary: `Undo: ${said.join(', ') || 'nothing to do'}.`,
    data: {
      outcome: unknown ? 'outcome_unknown' : undone ? 'applied' : 'not_applied',
      totals,
      steps: linesOf(lines, 'undone').slice(0, most),
      ...(next !== undefined && { next }),
      requests_spent: spent(),
    },
  });
  return withCut(answer, lines.length, 'list_changes shows all changes');
}

export const undoChange = defineTool({
  name: 'undo_change',
  toolset: 'account',
  title: 'Undo changes',
  description:
    'Undoes (reverts) changes (mistakes) of this server, newest first. Name them by change_ids (list_changes), conversation or since. Without confirm it returns the plan: each effect, what cannot be restored, conflicts. Never overwrites what others changed since. Can itself be undone.',
  cost: { requests: 2, plus: [{ requests: [2, 8], per: 'write' }] },
  example: { conversation: true },
  effect: 'destroy',
  repeat: 'same_effect',
  consent: true,
  showsPlan: true,
  needsJournal: true,
  carriesUserContent: true,
  input,
  check: ({ change_ids, conversation, since }) => {
    const given = [change_ids, conversation, since].filter((one) => one !== undefined);
    if (given.length !== 1) throw refuseInput(['give one of change_ids, conversation and since']);
  },
  output: z.looseObject({
    outcome: z.string(),
    totals: z.record(z.string(), z.int()).optional(),
    steps: z.array(z.string()).optional(),
    plan: z.array(z.string()).describe('Without confirm').optional(),
    next: z.string().optional(),
    requests_spent: z.int().optional(),
  }),
  confirmationMessage: ({ change_ids, since }) => {
    const which =
      change_ids?.join(', ') ?? (since === undefined ? 'all of this conversation' : `your own since ${since}`);
    return `This undoes changes (${which}). Students see it at once.`;
  },
  confirmationFacts: async (question, context) => planLines(await undo(question, true, context)),
  run: async (question, context) => present(await undo(question, false, context), context),
});
