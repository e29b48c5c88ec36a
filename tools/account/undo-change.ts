import * as z from 'zod';
import type { Change } from '../../src/api/writes/journal.ts';
import { dateOrTime, flag, limitedText } from '../../src/contract/schemas/input-fields.ts';
import { isoTime, resolveMoment } from '../../src/insights/period.ts';
import { bodyWith, counted, eachOnItsLine } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { type Choice, type UndoLine, undoChanges } from '../../src/workflows/changes/undo.ts';

const input = z.strictObject({
  change_ids: z.array(limitedText(60).min(1)).min(1).max(50).optional(),
  conversation: z.literal(true).describe('All of this conversation').optional(),
  since: dateOrTime('ISO 8601 date or time').optional(),
  rename: flag('Also renames created lessons and channels, which are only hidden').optional(),
});
type Question = z.output<typeof input>;

/** The changes that the call names. An undo is chosen only by its id: undoing it makes the old change again. */
async function choiceOf({ change_ids, since }: Question, context: ToolContext): Promise<Choice> {
  const { caller, change: own, timezone } = context;
  const from = since === undefined ? undefined : await resolveMoment('since', since, timezone);
  return ({ changes }) => {
    const unknown = change_ids?.find((id) => changes.every((one) => one.id !== id));
    if (unknown !== undefined)
      throw new AcademyError('not_found', `the journal has no change ${oneLine(unknown, 60)}`, {
        hint: 'list_changes shows the ids.',
        outcome: 'not_applied',
      });
    if (change_ids !== undefined) return changes.filter(({ id }) => change_ids.includes(id));
    const isChosen = ({ at, conversation }: Change) =>
      from === undefined ? conversation === own.conversation : at >= from;
    return changes.filter((one) => one.caller === caller && one.tool !== 'undo_change' && isChosen(one));
  };
}

async function undo({ rename = false, ...question }: Question, isPlan: boolean, context: ToolContext) {
  return await undoChanges(await choiceOf(question, context), { isPlan, renames: rename }, context);
}

/** What a line says of a write in each state, and a number of them: "2 undone, 1 not undone (changed since)". */
const words: Readonly<Record<UndoLine['state'], readonly [line: string, number: string]>> = {
  undone: ['undone', 'undone'],
  lost: ['cannot be restored', 'not restorable'],
  conflict: ['not undone', 'not undone (changed since)'],
  refused: ['not undone', 'not undone'],
  failed: ['failed', 'failed'],
  unknown: ['outcome unknown', 'of unknown outcome'],
  idle: ['nothing to do', 'with nothing to do'],
};

/** A line for each write, under its change; one for neighbours of which the same is said. Room for three values of a field. */
function linesOf(lines: readonly UndoLine[], isPlan: boolean): string[] {
  return lines.flatMap(({ state, text, change: { id, tool, at } }, index) => {
    const before = lines[index - 1];
    const isOfSame = before?.change.id === id;
    if (isOfSame && before.state === state && before.text === text) return [];
    const label = isPlan && state === 'undone' ? 'undo' : words[state][0];
    return [...(isOfSame ? [] : [`${id} ${tool} of ${isoTime(at)}:`]), `  ${label}: ${oneLine(text, 1_000)}`];
  });
}

const countOf = (lines: readonly UndoLine[], wanted: string) => lines.filter(({ state }) => state === wanted).length;

type UndoResult = Awaited<ReturnType<typeof undoChanges>>;

const leftText = (left: number) => left > 0 && `${counted(left, 'older write')} left: then the same call again`;

function planLines({ lines, left }: UndoResult): string[] {
  const steps = countOf(lines, 'undone');
  const shown = linesOf(lines, true);
  if (steps > 0)
    return compact([`${counted(steps, 'step')}${steps > 1 ? ', in this order' : ''}:`, ...shown, leftText(left)]);
  if (lines.length === 0)
    throw new AcademyError('not_applied', 'no change was chosen: you made none in this conversation, or since then', {
      hint: 'list_changes shows all changes with their ids; since chooses your own of earlier conversations.',
      outcome: 'not_applied',
    });
  throw new AcademyError('not_applied', ['nothing can be undone', ...shown].join('\n'), {
    hint: lines.every(({ state }) => state === 'idle') ? 'Nothing is left to do here.' : 'Tell the person why.',
    outcome: 'not_applied',
  });
}

function present({ lines, left }: UndoResult, { spent }: Pick<ToolContext, 'spent'>): Presented {
  const counts = Object.entries(words).map(([state, [, word]]) => ({ state, word, count: countOf(lines, state) }));
  const found = counts.filter(({ count }) => count > 0);
  const totals = Object.fromEntries(found.map(({ state, count }) => [state, count]));
  const { undone, failed, unknown } = totals;
  const steps = linesOf(lines, false);
  const again = 'list_changes shows what was undone; call again with the same arguments for the rest';
  const answer = (most: number) => ({
    summary: `Undo: ${found.map(({ word, count }) => `${count} ${word}`).join(', ') || 'nothing to do'}.`,
    data: {
      outcome: unknown ? 'outcome_unknown' : undone ? 'applied' : 'not_applied',
      totals,
      steps: steps.slice(0, most),
      next: failed || unknown ? again : leftText(left) || undefined,
      requests_spent: spent(),
    },
  });
  const body = bodyWith({ steps: eachOnItsLine });
  return { ...withCut(answer, steps.length, 'list_changes shows all changes'), body };
}

export const undoChange = defineTool({
  name: 'undo_change',
  toolset: 'account',
  title: 'Undo changes',
  description:
    'Undoes (takes back) wrong changes of this server, newest first. Name them by change_ids (list_changes), conversation or since. Without confirm it returns the plan: each effect, what cannot be restored, conflicts. Never overwrites what others changed since. Can itself be undone.',
  cost: { once: 2, 'per write': [2, 8] },
  example: { conversation: true },
  effect: 'destroy',
  repeat: 'same_effect',
  consent: true,
  showsPlan: true,
  needsJournal: true,
  carriesUserContent: true,
  input,
  check: ({ change_ids, conversation, since }) => {
    const present = [change_ids, conversation, since].filter((one) => one !== undefined);
    if (present.length !== 1) throw refuseInput(['give one of change_ids, conversation and since']);
  },
  output: z.looseObject({
    outcome: z.string(),
    totals: z.record(z.string(), z.int()).optional(),
    steps: z.array(z.string()).optional(),
    plan: z.array(z.string()).optional(),
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
