import * as z from 'zod';
import type { Change, JournalReading, Part } from '../../src/api/writes/journal.ts';
import { operationById } from '../../src/contract/index.ts';
import { dateOrTime, integer, limitedText, studentEmail } from '../../src/contract/schemas/input-fields.ts';
import { isoTime, resolveMoment } from '../../src/insights/period.ts';
import { listOutput, memberText } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
import {
  canUndo,
  isOutline,
  journalOf,
  outlineName,
  settleUnknown,
  toolOf,
  unitsOf,
} from '../../src/workflows/changes/undo.ts';
import { withCut } from '../record-result.ts';

const defaultLimit = 20;
const outcomes = ['applied', 'not_applied', 'outcome_unknown', 'running', 'partly'] as const;

const changeRow = z.looseObject({
  change_id: z.string(),
  at: z.string(),
  who: z.string(),
  tool: z.string(),
  outcome: z.string(),
  what: memberText(),
  undone: z.boolean().optional(),
  not_restored: z.string().optional(),
  can_undo: z.string().optional(),
});

const maxValue = 200;
/** Writes of one change that a row names. */
const maxParts = 5;

function valueText(value: unknown): string {
  if (typeof value !== 'string') return oneLine(JSON.stringify(value ?? null), maxValue);
  return value.length > maxValue ? `(text of ${value.length} characters)` : oneLine(value, maxValue);
}

/** "price: 49.00 -> 89.00", with the record or the student that it concerns. Names the write if the tool has another name. */
function partText(part: Part): string {
  const { input, old } = part;
  if (isOutline(part)) return outlineName(part);
  const label = toolOf(part) === part.tool ? '' : `${toolOf(part)}: `;
  const operation = operationById(part.operation);
  const isUpdate = operation?.effect === 'update';
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  const before = (name: string) =>
    old !== undefined && name in old.values ? valueText(old.values[name]) : '(old value not known)';
  const texts = fields.map(([name, value]) => {
    const isChanged = isUpdate && name in operation.body;
    return isChanged ? `${name}: ${before(name)} -> ${valueText(value)}` : `${name} ${valueText(value)}`;
  });
  const orders = Array.isArray(old?.values.orders) ? old.values.orders : [];
  const touched = orders.length > 0 ? [`was on order ${orders.slice(0, 10).join(', ')}`] : [];
  const made = part.created === undefined ? [] : [`created ${part.created}`];
  return `${label}${[...texts, ...touched, ...made].join(', ')}`;
}

function outcomeOf({ parts }: Change): (typeof outcomes)[number] {
  const all = new Set(parts.map(({ outcome }) => outcome));
  for (const open of ['running', 'outcome_unknown'] as const) if (all.has(open)) return open;
  return all.size > 1 ? 'partly' : all.has('applied') ? 'applied' : 'not_applied';
}

/** The fields that an undo did not write back: the API does not show the old value, or others have changed it since. */
function notRestored({ operation: id, input }: Part, by: Part | undefined): string[] {
  const operation = operationById(id);
  if (by === undefined || operation?.undo !== 'restore') return [];
  return Object.keys(operation.body).filter((name) => input[name] !== undefined && by.input[name] === undefined);
}

function rowOf(change: Change, journal: JournalReading, context: ToolContext): Json {
  const { id, at, caller, tool } = change;
  const units = unitsOf(change);
  const lost = units.flatMap((part) => notRestored(part, journal.undoneBy(part.id))).join(', ');
  const texts = units.slice(0, maxParts).map(partText);
  const more = units.length > maxParts ? [`and ${counted(units.length - maxParts, 'more write')}`] : [];
  const can_undo = canUndo(change, journal, context);
  const undone = can_undo === undefined && units.some((part) => journal.undoneBy(part.id) !== undefined);
  return {
    change_id: id,
    at: isoTime(at),
    who: oneLine(caller, maxValue),
    tool,
    outcome: outcomeOf(change),
    what: [...texts, ...more].join('; '),
    ...(lost !== '' && { not_restored: oneLine(lost, maxValue) }),
    ...(undone && { undone }),
    ...(can_undo !== undefined && { can_undo }),
  };
}

const input = z.strictObject({
  since: dateOrTime('ISO 8601 date or time').optional(),
  until: dateOrTime('Excluded').optional(),
  who: limitedText(200).describe('Caller').optional(),
  tool: limitedText(60).optional(),
  email: studentEmail.optional(),
  product: limitedText(255)
    .trim()
    .refine((text) => /^\w+ \S+$/.test(text), 'must be a kind and an id or slug, such as "course 7"')
    .describe('"course 7"')
    .optional(),
  outcome: z.enum(outcomes).optional(),
  limit: integer(1, 200, `Default ${defaultLimit}`).optional(),
});

/** "course 7": by an id of a course or bundle, or by that of a product. */
function concerns({ input, course, old }: Part, product: string): boolean {
  const { course_id = course, bundle_id, product_type, id_or_slug } = input;
  const ofProduct = [id_or_slug, old?.id].map((id) => `${product_type} ${id}`);
  return [`course ${course_id}`, `bundle ${bundle_id}`, ...ofProduct].includes(product);
}

function isWanted(change: Change, { who, tool, email, product, outcome }: z.output<typeof input>): boolean {
  const { caller, parts } = change;
  return (
    (who === undefined || caller === who) &&
    (tool === undefined || change.tool === tool) &&
    (email === undefined || parts.some(({ input }) => String(input.email).toLowerCase() === email.toLowerCase())) &&
    (product === undefined || parts.some((part) => concerns(part, product))) &&
    (outcome === undefined || outcomeOf(change) === outcome)
  );
}

export const listChanges = defineTool({
  name: 'list_changes',
  toolset: 'account',
  title: 'List changes',
  description:
    'Lists what this server (assistant) changed or edited (history), newest first: who, tool, old -> new values, outcome, whether it can be undone. Changes made elsewhere are not in it. To undo: undo_change.',
  cost: { requests: 0, plus: [{ requests: [1, 3], per: 'write of unknown outcome' }] },
  example: { limit: 5 },
  effect: 'read',
  repeat: 'safe',
  needsJournal: true,
  carriesUserContent: true,
  input,
  output: listOutput('changes', changeRow, { total: z.int(), unreadable_lines: z.int() }),
  run: async ({ since, until, limit = defaultLimit, ...filter }, context) => {
    const { timezone } = context;
    const from = since === undefined ? 0 : await resolveMoment('since', since, timezone);
    const to = until === undefined ? Number.POSITIVE_INFINITY : await resolveMoment('until', until, timezone);
    const select = ({ changes }: JournalReading) =>
      changes.filter((one) => one.at >= from && one.at < to && isWanted(one, filter)).reverse();
    const first = journalOf(context).read();
    const isNew = await settleUnknown(select(first).slice(0, limit), context);
    const known = isNew ? journalOf(context).read() : first;
    const found = select(known);
    const shown = found.slice(0, limit);
    const unreadable = known.unreadable > 0 ? { unreadable_lines: known.unreadable } : {};
    const none =
      known.changes.length === 0
        ? 'The journal of this server has no changes.'
        : `None of the ${counted(known.changes.length, 'change')} in the journal of this server fits.`;
    const answer = (most: number) => ({
      summary:
        found.length === 0
          ? none
          : `${counted(found.length, 'change')} by this server, the newest first${most < found.length ? `; the first ${most}` : ''}.`,
      data: {
        total: found.length,
        ...unreadable,
        ...(most === 0 ? {} : { changes: shown.slice(0, most).map((one) => rowOf(one, known, context)) }),
      },
    });
    return withCut(answer, shown.length, 'use since and until');
  },
});
