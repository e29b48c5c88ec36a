import type * as z from 'zod';
import { type FieldsOf, inputSchema, type Operation } from '../contract/operation.ts';
import type { ListResponse } from '../contract/schemas/response.ts';
import { rowTimes, spanOf, withRowTime } from '../insights/api-time.ts';
import { emptyPeriodNote, filtersText } from '../insights/period.ts';
import type { Json } from '../shared/json.ts';
import { type Arrange, type ListWindow, listWindow, windowArguments, windowCursor } from './list-window.ts';
import { carriesUserContent, listOutput, recordOutput, windowOutput } from './output/output-schemas.ts';
import { incompleteFor } from './output/pagination.ts';
import { sanitizeRecord } from './output/sanitize.ts';
import { inline, wholeTable } from './output/text-format.ts';
import { type Presented, type Tool, withCut } from './tool.ts';

interface ListToolDefinition<O extends Operation> extends Pick<Tool, 'name' | 'toolset' | 'title' | 'description'> {
  example: z.output<z.ZodObject<FieldsOf<O> & typeof windowArguments>>;
  operation: O;
  /** What the records are called in a sentence: "published courses". */
  noun: string;
  /** The most that the API lists: a list of this length may be incomplete. */
  maxListed?: number;
  /** Arguments that filter or sort the whole list. */
  selection?: { readonly input: z.ZodRawShape; readonly arrange: (args: Json) => Arrange };
  /** Fields that are left out of the rows. */
  omit?: readonly string[];
}

type WriteWindow = (position: { at: number; of: number }) => string;

function windowFacts({ items, from, total, totalBefore }: ListWindow, write: WriteWindow) {
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
  const shownFilters = filtersText(filters, inline);
  if (total > 0 || shownFilters === '') return undefined;
  return emptyPeriodNote(filters, now) ?? `none of the ${all.length} ${noun} fits ${shownFilters}`;
}

function summaryOf(noun: string, { items, from, total }: ListWindow): string {
  if (total === 0) return `No ${noun}.`;
  if (items.length === total) return `${total} ${noun}.`;
  return `${items.length} of ${total} ${noun}, from number ${from + 1}.`;
}

/** The tool of a list that the API sends whole. `limit` and `cursor` page it here. */
export function defineListTool<O extends Operation & { response: ListResponse }>(
  definition: ListToolDefinition<O>,
): Tool {
  const { operation, noun, omit = [], maxListed, selection, ...words } = definition;
  const { key, item } = operation.response;
  const isShown = (name: string) => !omit.includes(name);
  const shape = Object.fromEntries(Object.entries(item.shape).filter(([name]) => isShown(name)));
  const whole = (record: object) => sanitizeRecord(item, record, Object.keys(record).filter(isShown));
  return {
    ...words,
    cost: { once: 1 },
    effect: operation.effect,
    carriesUserContent: carriesUserContent(operation.response),
    input: inputSchema(operation)
      .extend(selection?.input ?? {})
      .extend(windowArguments),
    output: listOutput(key, recordOutput(shape), windowOutput),
    run: async (input, context): Promise<Presented> => {
      const { limit, cursor, ...rest } = input as { limit?: number; cursor?: string };
      const scope = [words.name, rest] as const;
      const question = selection === undefined ? rest : {};
      const page = { limit, cursor, scope, arrange: selection?.arrange(rest) };
      const window = await listWindow(operation, question as never, page, context);
      const { items, all, total, lost } = window;
      const isFull = maxListed !== undefined && total + lost >= maxListed;
      const doubts = [...window.doubts, isFull ? `the API lists at most ${maxListed}: there may be more` : undefined];
      const rowTime = rowTimes(context.timezone, spanOf(rest, context.now()));
      const present = (record: object) => withRowTime(whole(record), rowTime);
      const rows = items.map(present);
      const note = selection && emptyNote(window, noun, rest, context.now());
      /** If it is cut, its cursor begins at the cut. */
      const answer = (count: number) => {
        const shown = { ...window, items: items.slice(0, count) };
        const placed = windowFacts(shown, (at) => context.cursors.write(windowCursor, at, scope));
        const data = { note, ...placed, [key]: rows.slice(0, count) };
        return incompleteFor(doubts, { summary: summaryOf(noun, shown), data });
      };
      return {
        ...withCut(answer, rows.length, 'go on with next_cursor'),
        tables: { [key]: wholeTable(all.map(present), Object.keys(shape)) },
        short: { list: key },
      };
    },
  };
}
