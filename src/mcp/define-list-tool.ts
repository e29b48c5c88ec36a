import type * as z from 'zod';
import { type FieldsOf, inputSchema, type Operation } from '../contract/operation.ts';
import type { ListResponse } from '../contract/schemas/response.ts';
import { isShort, rowTimes, spanOf, withRowTime } from '../insights/api-time.ts';
import { emptyPeriodNote, filtersText } from '../insights/period.ts';
import type { Json } from '../shared/json.ts';
import { type Arrange, type ListWindow, listWindow, windowArguments, windowCursor } from './list-window.ts';
import { carriesUserContent } from './output/member-fields.ts';
import { listOutput, recordOutput, windowOutput } from './output/output-schemas.ts';
import { sanitizeRecord } from './output/sanitize.ts';
import { type TableShape, wholeTable } from './output/table-shape.ts';
import { inline } from './output/text-format.ts';
import type { Cost } from './request-cost.ts';
import type { Presented, Tool } from './tool.ts';
import type { Toolset } from './toolsets.ts';

interface ListToolDefinition<O extends Operation> {
  name: string;
  toolset: Toolset;
  title: string;
  description: string;
  cost: Cost;
  example: z.output<z.ZodObject<FieldsOf<O> & typeof windowArguments>>;
  operation: O;
  /** What the records are called in a sentence: "published courses". */
  noun: string;
  /** The most that the API lists: a list of this length may be incomplete. */
  maxListed?: number;
  /** Arguments that filter or sort the whole list. */
  selection?: { readonly input: z.ZodRawShape; readonly arrange: (given: Json) => Arrange };
  /** Whether rows show days in the time zone instead of whole times. */
  hasDays?: boolean;
  /** Fields that are left out of the rows. */
  omit?: readonly string[];
}

function without(record: object, omit: readonly string[]): object {
  return omit.length === 0 ? record : Object.fromEntries(Object.entries(record).filter(([key]) => !omit.includes(key)));
}

type WriteWindow = (place: { at: number; of: number }) => string;

/** Shapes of the cached lists: a large list is read for it only once. */
const wholeShapes = new WeakMap<readonly object[], TableShape>();
/** Of the same lists with days, and with minutes: rows that share the day differ in the minute. */
const dayShapes = new WeakMap<readonly object[], TableShape>();
const minuteShapes = new WeakMap<readonly object[], TableShape>();

function shapeOf(
  all: readonly object[],
  order: readonly string[],
  present: (record: object) => Json,
  shapes: typeof wholeShapes,
): TableShape {
  function* rows() {
    for (const record of all) yield present(record);
  }
  const shape = shapes.get(all) ?? wholeTable(rows(), order);
  shapes.set(all, shape);
  return shape;
}

/** The place of the answer in the whole list. */
function place({ items, from, total, totalBefore }: ListWindow, write: WriteWindow) {
  const end = from + items.length;
  return {
    total,
    ...(end < total ? { next_cursor: write({ at: end, of: total }) } : {}),
    ...(totalBefore === undefined
      ? {}
      : {
          note: `the list had ${totalBefore} records when its first page was read: records may be missing or repeated here`,
        }),
  };
}

/** Why a filtered list has no records; undefined if it has some. */
function emptyNote({ total, all }: ListWindow, noun: string, filters: object, now: Date): string | undefined {
  const given = filtersText(filters, inline);
  if (total > 0 || given === '') return undefined;
  return emptyPeriodNote(filters, now) ?? `none of the ${all.length} ${noun} fits ${given}`;
}

/** Why the list may be incomplete; undefined if it is complete. */
function incompleteReason(
  { total, lost, notWhole, lacking }: ListWindow,
  maxListed: number | undefined,
): string | undefined {
  const lacks = [
    ...(lost > 0 ? [`${lost} entries are not records and could not be read`] : []),
    ...(lacking === undefined ? [] : [lacking]),
    ...(notWhole === undefined ? [] : [notWhole]),
    ...(maxListed !== undefined && total + lost >= maxListed
      ? [`the API lists at most ${maxListed}: there may be more`]
      : []),
  ];
  return lacks.length === 0 ? undefined : lacks.join('; ');
}

function summaryOf(noun: string, { items, from, total }: ListWindow): string {
  if (total === 0) return `No ${noun}.`;
  if (items.length === total) return `${total} ${noun}.`;
  return `${items.length} of ${total} ${noun}, from number ${from + 1}.`;
}

interface Shown {
  readonly noun: string;
  readonly key: string;
  readonly maxListed: number | undefined;
  readonly shape: TableShape;
  /** Why there are no rows. */
  readonly note: string | undefined;
}

/** The answer with all rows of the window. If it is too long it is cut, and its cursor begins at the cut. */
function presentWindow(
  { noun, key, maxListed, shape, note }: Shown,
  window: ListWindow,
  rows: object[],
  write: WriteWindow,
): Presented {
  const lack = incompleteReason(window, maxListed);
  const start = lack === undefined ? '' : `Incomplete (${lack}): `;
  const coverage = lack === undefined ? {} : { coverage: { complete: false, stopped: lack } };
  const empty = note === undefined ? {} : { note };
  const answer = (count: number) => {
    const shown = { ...window, items: window.items.slice(0, count) };
    const list = count > 0 ? { [key]: rows.slice(0, count) } : {};
    return {
      summary: `${start}${summaryOf(noun, shown)}`,
      data: { ...coverage, ...empty, ...place(shown, write), ...list },
    };
  };
  const to = (most: number) => ({ ...answer(most), shown: most, how: 'go on with next_cursor' });
  return { ...answer(rows.length), tables: { [key]: shape }, short: { list: key }, cut: { records: rows.length, to } };
}

/** The tool of a list that the API sends whole. `limit` and `cursor` page it here. */
export function defineListTool<O extends Operation & { response: ListResponse }>(
  definition: ListToolDefinition<O>,
): Tool {
  const { operation, noun, omit = [], maxListed, selection, hasDays = false, ...words } = definition;
  const { key, item } = operation.response;
  const shown = Object.entries(item.shape).filter(([name]) => !omit.includes(name));
  const order = shown.map(([name]) => name);
  const whole = (record: object) => sanitizeRecord(item, without(record, omit));
  return {
    ...words,
    effect: operation.effect,
    repeat: operation.repeat,
    carriesUserContent: carriesUserContent(operation.response),
    input: inputSchema(operation)
      .extend(selection?.input ?? {})
      .extend(windowArguments),
    output: listOutput(key, recordOutput(Object.fromEntries(shown)), windowOutput),
    run: async (input, context): Promise<Presented> => {
      const { limit, cursor, ...rest } = input as { limit?: number; cursor?: string };
      const scope = [words.name, rest] as const;
      const arrange = selection?.arrange(rest);
      const question = selection === undefined ? rest : {};
      const window = await listWindow(operation, question as never, { limit, cursor, scope, arrange }, context);
      const span = spanOf(rest, context.now());
      const rowTime = rowTimes(context.timezone, span);
      const present = hasDays ? (record: object) => withRowTime(whole(record), rowTime) : whole;
      const shapes = hasDays ? (isShort(span) ? minuteShapes : dayShapes) : wholeShapes;
      const note = selection && emptyNote(window, noun, rest, context.now());
      return presentWindow(
        { noun, key, maxListed, shape: shapeOf(window.all, order, present, shapes), note },
        window,
        window.items.map(present),
        (place) => context.cursors.write(windowCursor, place, scope),
      );
    },
  };
}
