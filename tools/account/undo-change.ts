import * as z from 'zod';
import type { Change } from '../../src/api/writes/journal.ts';
import { dateOrTime, flag, limitedText } from '../../src/contract/schemas/input-fields.ts';
import { isoTime, resolveMoment } from '../../src/insights/period.ts';
import { counted, field, type TextBody } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
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

const labels: Readonly<Record<UndoLine['state'], string>> = {
  undone: 'undo',
  lost: 'cannot be restored',
  conflict: 'not undone',
  refused: 'not undone',
  failed: 'failed',
  unknown: 'outcome unknown',
  idle: 'nothing to do',
};

/** The states in a sentence of numbers: "2 undone, 1 not undone (changed since)". */
const words: Readonly<Record<UndoLine['state'], string>> = {
  ...labels,
  undone: 'undone',
  lost: 'not restorable',
  conflict: 'not undone (changed since)',
  unknown: 'of unknown outcome',
  idle: 'with nothing to do',
};

const isSame = (one: UndoLine | undefined, { change, state, text }: UndoLine) =>
  one?.change.id === change.id && one.state === state && one.text === text;

/** A line for each write, under its change; one for neighbours of which the same is said. Room for three values of a field. */
function linesOf(lines: readonly UndoLine[], done = labels.undone): string[] {
  return lines.flatMap((line, index) => {
    const { state, text, change } = line;
    const { id, tool, at } = change;
    if (isSame(lines[index - 1], line)) return [];
    const label = state === 'undone' ? done : labels[state];
    const title = lines[index - 1]?.change.id === id ? [] : [`${id} ${tool} of ${isoTime(at)}:`];
    return [...title, `  ${label}: ${oneLine(text, 1_000)}`];
  });
}

function totalsOf(lines: readonly UndoLine[]): Record<string, number> {
  const counts = Object.keys(labels).map(
    (state) => [state, lines.filter((one) => one.state === state).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

type UndoResult = Awaited<ReturnType<typeof undoChanges>>;

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
  const steps = linesOf(lines, 'undone');
  const said = Object.entries(totals).map(([state, count]) => `${count} ${words[state as keyof typeof words]}`);
  const again = 'list_changes shows what was undone; call again with the same arguments for the rest';
  const next = failed || unknown ? again : left > 0 ? leftText(left) : undefined;
  const answer = (most: number) => ({
    summary: `Undo: ${said.join(', ') || 'nothing to do'}.`,
    data: {
      outcome: unknown ? 'outcome_unknown' : undone ? 'applied' : 'not_applied',
      ...(lines.length > 0 && { totals, steps: steps.slice(0, most) }),
      next,
      requests_spent: spent(),
    },
  });
  const body: TextBody = (data) =>
    Object.entries(data).flatMap(([name, value]) => (Array.isArray(value) ? value.map(String) : field(name, value)));
  return { ...withCut(answer, steps.length, 'list_changes shows all changes'), body };
}

export const undoChange = defineTool({
  name: 'undo_change',
  toolset: 'account',
  title: 'Undo changes',
  description:
    'Undoes (takes back) wrong changes of this server, newest first. Name them by change_ids (list_changes), conversation or since. Without confirm it returns the plan: each effect, what cannot be restored, conflicts. Never overwrites what others changed since. Can itself be undone.',
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
