import type * as z from 'zod';
import { type FieldsOf, inputSchema, type Operation } from '../contract/operation.ts';
import type { ListResponse } from '../contract/schemas/response.ts';
import { isShort, rowTimes, spanOf, withRowTime } from '../insights/api-time.ts';
import { emptyPeriodNote, filtersText } from '../insights/period.ts';
import type { Json } from '../shared/json.ts';
import { type Arrange, type ListWindow, listWindow, windowArguments, windowCursor } from './list-window.ts';
import { carriesUserContent, listOutput, recordOutput, windowOutput } from './output/output-schemas.ts';
import { incompleteFor, lostText } from './output/pagination.ts';
import { sanitizeRecord } from './output/sanitize.ts';
import { inline, type TableShape, wholeTable } from './output/text-format.ts';
import type { Toolset } from './principal.ts';
import { type Presented, type Tool, withCut } from './tool.ts';

interface ListToolDefinition<O extends Operation> {
  name: string;
  toolset: Toolset;
  title: string;
  description: string;
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

function place({ items, from, total, totalBefore }: ListWindow, write: WriteWindow) {
  const end = from + items.length;
  return {
    total,
    next_cursor: end < total ? write({ at: end, of: total }) : undefined,
    ...(totalBefore !== undefined && {
      note: `the list had ${totalBefore} records when its first page was read: records may be missing or repeated here`,
    }),
  };
}

function emptyNote({ total, all }: ListWindow, noun: string, filters: object, now: Date): string | undefined {
  const given = filtersText(filters, inline);
  if (total > 0 || given === '') return undefined;
  return emptyPeriodNote(filters, now) ?? `none of the ${all.length} ${noun} fits ${given}`;
}

function incompleteReasons({ total, lost, notWhole, lacking }: ListWindow, maxListed = Number.POSITIVE_INFINITY) {
  return [
    lostText(lost),
    lacking,
    notWhole,
    total + lost >= maxListed ? `the API lists at most ${maxListed}: there may be more` : undefined,
  ];
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
  readonly note: string | undefined;
}

/** The answer with all rows of the window. If it is too long it is cut, and its cursor begins at the cut. */
function presentWindow(
  { noun, key, maxListed, shape, note }: Shown,
  window: ListWindow,
  rows: object[],
  write: WriteWindow,
): Presented {
  const reasons = incompleteReasons(window, maxListed);
  const answer = (count: number) => {
    const shown = { ...window, items: window.items.slice(0, count) };
    const data = { note, ...place(shown, write), [key]: rows.slice(0, count) };
    return incompleteFor(reasons, { summary: summaryOf(noun, shown), data });
  };
  return {
    ...withCut(answer, rows.length, 'go on with next_cursor'),
    tables: { [key]: shape },
    short: { list: key },
  };
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
    cost: [{ requests: 1 }],
    effect: operation.effect,
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
