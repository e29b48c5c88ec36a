import * as z from 'zod';
import type { Change, JournalReading, Part } from '../../src/api/writes/journal.ts';
import { operationById } from '../../src/contract/index.ts';
import { productTypes } from '../../src/contract/products.ts';
import { dateOrTime, integer, limitedText, studentEmail } from '../../src/contract/schemas/input-fields.ts';
import { isoTime, periodNames, resolvePeriod } from '../../src/insights/period.ts';
import { changeShown, valueShown } from '../../src/mcp/confirmation/confirmation-message.ts';
import { listOutput, memberText, numbers, texts } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { canUndo, isOutline, outlineName, readSettled, toolOf, unitsOf } from '../../src/workflows/changes/undo.ts';
import { findProduct } from '../../src/workflows/find-product.ts';

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
  ...texts('orders', 'not_restored', 'can_undo'),
});

const maxValue = 200;
/** Writes of one change that a row names. */
const maxParts = 5;
const maxOrders = 50;

/** `price: "49.00" -> "89.00"`, with the record or the student that it concerns. Names the write if the tool has another name. */
function partText(part: Part): string {
  const { input, old = { values: {} }, created } = part;
  if (isOutline(part)) return outlineName(part);
  const operation = operationById(part.operation);
  const present = Object.entries(input).filter(([, value]) => value !== undefined);
  const { orders, progress, paying_student } = old.values;
  const percents = Object.entries(isObject(progress) ? progress : {});
  const texts = compact([
    ...present.map(([name, value]) =>
      operation?.effect === 'update' && name in operation.body
        ? `${name}: ${changeShown(name, value, old, maxValue)}`
        : `${name} ${valueShown(value, maxValue)}`,
    ),
    Array.isArray(orders) && orders.length > 0 && `was on order ${orders.slice(0, 10).join(', ')}`,
    ...percents.map(([course, percent]) => `progress was ${percent}% in ${course}`),
    paying_student !== undefined && `paying_student was ${paying_student}`,
    created !== undefined && `created ${created}`,
  ]);
  const label = toolOf(part) === part.tool ? '' : `${toolOf(part)}: `;
  return label + texts.join(', ');
}

function outcomeOf({ parts }: Change): (typeof outcomes)[number] {
  const all = new Set(parts.map(({ outcome }) => outcome));
  const open = (['running', 'outcome_unknown'] as const).find((outcome) => all.has(outcome));
  const [first = 'not_applied', ...others] = all;
  return open ?? (others.length > 0 ? 'partly' : first);
}

/** The fields that an undo did not write back: the API does not show the old value, or others have changed it since. */
function notRestored({ id, operation, input }: Part, { undosOf }: JournalReading): string[] {
  const [by] = undosOf(id);
  const { undo, body = {} } = operationById(operation) ?? {};
  if (by === undefined || undo !== 'restore') return [];
  return Object.keys(body).filter((name) => input[name] !== undefined && by.input[name] === undefined);
}

function rowOf(change: Change, journal: JournalReading, context: ToolContext): Json {
  const { id, at, caller, tool } = change;
  const units = unitsOf(change);
  const more = units.length - maxParts;
  const texts = [...units.slice(0, maxParts).map(partText), more > 0 && `and ${counted(more, 'more write')}`];
  const lost = units.flatMap((part) => notRestored(part, journal)).join(', ');
  const can_undo = canUndo(change, journal, context);
  const isBegun = units.some((part) => journal.undosOf(part.id).length > 0);
  return {
    change_id: id,
    at: isoTime(at),
    who: oneLine(caller, maxValue),
    tool,
    outcome: outcomeOf(change),
    what: compact(texts).join('; '),
    orders: change.orders?.slice(0, maxOrders).join(', '),
    not_restored: oneLine(lost, maxValue) || undefined,
    undone: (can_undo === undefined && isBegun) || undefined,
    can_undo: can_undo && (isBegun ? `partly undone; ${can_undo}` : can_undo),
  };
}

const input = z.strictObject({
  period: z.enum(periodNames).optional(),
  since: dateOrTime('ISO 8601 date or time').optional(),
  until: dateOrTime('Excluded').optional(),
  who: limitedText(200).describe('Caller').optional(),
  tool: limitedText(60).optional(),
  email: studentEmail.optional(),
  product: limitedText(255).trim().min(1).describe('Title or "course 7"').optional(),
  outcome: z.enum(outcomes).optional(),
  limit: integer(1, 200, `Default ${defaultLimit}`).optional(),
});

/** "course 7" of a type and an id or slug. The API lists challenges as courses too, and bundles as offers. */
function productName(type: unknown, id: unknown): string {
  const kind = String(type).toLowerCase().replace('challenge', 'course').replace('offer', 'bundle');
  return `${kind} ${id}`.toLowerCase();
}

/** "course 7", of a name such as "Challenge 7", or of the product with this title or slug. */
async function productNamed(product: string, { api }: ToolContext): Promise<string> {
  const [, kind = '', key = ''] = /^(\w+) (\S+)$/.exec(product) ?? [];
  const product_type = productTypes.find((one) => one === kind.toLowerCase());
  if (product_type !== undefined && /^\d+$/.test(key)) return productName(product_type, key);
  return (await findProduct(api, product_type === undefined ? { product } : { product: key, product_type })).ref;
}

/** Whether a write names the product by an id of a course or bundle, or by an id or slug of its type. */
function concerns({ input, course, old }: Part, product: string): boolean {
  const { course_id = course, bundle_id, product_type, id_or_slug } = input;
  const ofProduct = [id_or_slug, old?.id].map((id) => productName(product_type, id));
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
    'Lists what this server (you) changed or did (history), newest first: who, tool, old -> new values, outcome, whether it can be undone. Changes by others are not in it. To undo: undo_change.',
  cost: { once: 0, 'per write of unknown outcome': [1, 3], 'with a title': [1, 6] },
  example: { limit: 5 },
  effect: 'read',
  needsJournal: true,
  carriesUserContent: true,
  input,
  output: listOutput('changes', changeRow, numbers('total', 'unreadable_lines')),
  run: async ({ period, since, until, limit = defaultLimit, ...named }, context) => {
    const product = named.product === undefined ? undefined : await productNamed(named.product, context);
    const filter = { ...named, product };
    const bounds = { period, created_after: since, created_before: until, timezone: context.timezone };
    // Lines have the time of this machine, so its clock says what "today" is.
    const { from = 0, to } = await resolvePeriod(bounds, new Date(Date.now() + 1), ['since', 'until']);
    const select = ({ changes }: JournalReading) =>
      changes.filter((one) => one.at >= from && one.at < to && isWanted(one, filter)).reverse();
    const known = await readSettled((journal) => select(journal).slice(0, limit), context);
    const found = select(known);
    const rows = found.slice(0, limit).map((one) => rowOf(one, known, context));
    const all = counted(known.changes.length, 'change');
    const none =
      known.changes.length === 0
        ? 'The journal of this server has no changes.'
        : `None of the ${all} in the journal of this server fits.`;
    const callers = new Set(known.changes.map(({ caller }) => oneLine(caller, maxValue)));
    const answer = (most: number) => {
      const first = most < found.length ? `; the first ${most}` : '';
      const fitting = found.length === known.changes.length ? all : `${found.length} of ${all}`;
      const summary = `${fitting} by this server, the newest first${first}.`;
      return {
        summary: found.length === 0 ? none : summary,
        data: {
          total: found.length,
          unreadable_lines: known.unreadable || undefined,
          // Whom else to ask for.
          callers: named.who !== undefined && found.length === 0 ? [...callers].slice(0, 20) : undefined,
          changes: rows.slice(0, most),
        },
      };
    };
    return withCut(answer, rows.length, 'use period, or since and until');
  },
});
