import * as z from 'zod';
import { dateOrTime } from '../../src/contract/schemas/date-time.ts';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import { isoTime, resolveMoment } from '../../src/insights/period.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { readChanges } from '../../src/workflows/changes/read-changes.ts';
import { type UndoLine, undoChanges } from '../../src/workflows/changes/undo.ts';

interface Question {
  readonly change_ids?: readonly string[] | undefined;
  readonly conversation?: boolean | undefined;
  readonly since?: string | undefined;
}

const maxChanges = 50;

function unknown(id: string): AcademyError {
  return new AcademyError('not_found', `the journal has no change ${oneLine(id, 60)}`, {
    hint: 'list_changes shows the ids.',
    outcome: 'not_applied',
  });
}

/** The changes that the call names. An undo is chosen only by its id: undoing it makes the old change again. */
async function idsOf({ change_ids, since }: Question, context: ToolContext): Promise<string[]> {
  const { changes, isUndone } = readChanges(context);
  if (change_ids !== undefined) {
    const ids = new Set(changes.map(({ id }) => id));
    for (const id of change_ids) if (!ids.has(id)) throw unknown(id);
    return [...change_ids];
  }
  const from = since === undefined ? undefined : await resolveMoment('since', since, context.timezone);
  const own = changes.filter(({ at, caller, conversation, tool, id, parts }) => {
    const isChosen = from === undefined ? conversation === context.change.conversation : at >= from;
    const isLeft = !isUndone(id) && !parts.every((part) => isUndone(part.id));
    return isChosen && caller === context.caller && tool !== 'undo_change' && isLeft;
  });
  if (own.length > maxChanges) {
    throw new AcademyError(
      'invalid_input',
      `these are ${own.length} changes, and one call undoes at most ${maxChanges}`,
      {
        hint: 'Choose them with change_ids, from list_changes.',
        outcome: 'not_applied',
      },
    );
  }
  return own.map(({ id }) => id);
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

const nameOf = ({ change: { id, tool, at } }: UndoLine) => `${id} ${tool} of ${isoTime(at)}`;

/** A line for each write, under its change. */
function linesOf(lines: readonly UndoLine[], done = 'undo'): string[] {
  const label = ({ state }: UndoLine) => (state === 'undone' ? done : labels[state]);
  return lines.map((line) => `${label(line)}: ${nameOf(line)}: ${oneLine(line.text, 1_000)}`);
}

const count = (lines: readonly UndoLine[], state: UndoLine['state']) =>
  lines.filter((one) => one.state === state).length;

function planLines(lines: readonly UndoLine[]): string[] {
  const writes = count(lines, 'undone');
  if (writes === 0) {
    const text = ['nothing can be undone', ...linesOf(lines)].join('\n');
    throw new AcademyError('not_applied', text, { hint: 'Nothing is left to do here.', outcome: 'not_applied' });
  }
  return [`${counted(writes, 'step')}, in this order:`, ...linesOf(lines)];
}

function present(lines: readonly UndoLine[], { spent }: Pick<ToolContext, 'spent'>): Presented {
  const states = Object.keys(labels) as UndoLine['state'][];
  const totals = Object.fromEntries(
    states.map((state) => [state, count(lines, state)]).filter(([, number]) => number !== 0),
  );
  const said = Object.entries(totals).map(([state, number]) => `${number} ${state}`);
  const isOpen = lines.some(({ state }) => state === 'failed' || state === 'unknown');
  const next = isOpen
    ? { next: 'list_changes shows what was undone; call again with the same arguments for the rest' }
    : {};
  const answer = (most: number) => ({
    summary: `Undo: ${said.join(', ') || 'nothing to do'}.`,
    data: {
      outcome: (totals.unknown ?? 0) > 0 ? 'outcome_unknown' : (totals.undone ?? 0) > 0 ? 'applied' : 'not_applied',
      totals,
      steps: linesOf(lines, 'undone').slice(0, most),
      ...next,
      requests_spent: spent(),
    },
  });
  const how = 'list_changes shows all changes';
  return {
    ...answer(lines.length),
    cut: { records: lines.length, to: (most) => ({ ...answer(most), shown: most, how }) },
  };
}

export const undoChange = defineTool({
  name: 'undo_change',
  toolset: 'account',
  title: 'Undo changes',
  description:
    'Undoes changes of this server, newest first. Name them by change_ids from list_changes, conversation, or since (your own). Without confirm it returns the plan: each effect, what cannot be restored, conflicts. Never overwrites what others changed since. Is itself a change that can be undone.',
  cost: { requests: 2, plus: [{ requests: [2, 8], per: 'write' }] },
  example: { conversation: true },
  effect: 'destroy',
  repeat: 'same_effect',
  consent: true,
  showsPlan: true,
  needsJournal: true,
  carriesUserContent: true,
  input: z.strictObject({
    change_ids: z.array(limitedText(60).min(1)).min(1).max(maxChanges).optional(),
    conversation: z.literal(true).describe('All of this conversation').optional(),
    since: dateOrTime('ISO 8601 date or time').optional(),
  }),
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
      change_ids === undefined
        ? since === undefined
          ? 'of this conversation'
          : `since ${since}`
        : change_ids.join(', ');
    return `This undoes changes: ${which}. Students see it at once.`;
  },
  confirmationFacts: async (question, context) =>
    planLines(await undoChanges(await idsOf(question, context), true, context)),
  run: async (question, context) => present(await undoChanges(await idsOf(question, context), false, context), context),
});
