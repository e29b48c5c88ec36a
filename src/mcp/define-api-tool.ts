import type * as z from 'zod';
import type { CallOptions } from '../api/api.ts';
import { listClaims, unreadablePathsIn, whyNotWhole } from '../api/http/answer-facts.ts';
import { isTitled } from '../contract/lookups.ts';
import { type AnswerOf, type FieldsOf, type InputOf, inputSchema, type Operation } from '../contract/operation.ts';
import { unreadableText } from '../insights/unreadable.ts';
import { oneLine } from '../shared/clean-text.ts';
import { firstOf } from '../shared/invalid-input.ts';
import { isObject } from '../shared/json.ts';
import { requireChange } from './input/parse-input.ts';
import { carriesUserContent } from './output/output-schemas.ts';
import { incompleteFor } from './output/pagination.ts';
import type { Cost } from './request-cost.ts';
import { oldValuesOf, titlesOf, withTitles } from './titles.ts';
import { mapAnswer, type Presented, type Titles, type Tool, type ToolContext } from './tool.ts';

type Fields = Record<string, z.ZodType>;
type Given<O extends Operation, Extra extends Fields> = InputOf<O> & z.output<z.ZodObject<Extra>>;

interface ApiToolDefinition<O extends Operation, Extra extends Fields, Facts extends object>
  extends Pick<Tool, 'name' | 'toolset' | 'title' | 'description' | 'ui' | 'output'> {
  /** Default one request. */
  cost?: Cost;
  example: z.output<z.ZodObject<Omit<FieldsOf<O>, keyof Extra> & Extra>>;
  operation: O;
  /** Arguments beyond those of the operation, such as `limit` and `cursor`, or in place of one of them. */
  extra?: Extra;
  check?: (input: Given<O, Extra>) => void;
  confirmationMessage?: (input: InputOf<O>, titles: Titles) => string;
  confirmationFacts?: (input: InputOf<O>, context: ToolContext) => Promise<string[]>;
  /**
   * Replaces the one request. `send` makes it, with the input or a changed one, and a write only once. A write can read facts
   * before and after it that the API's answer lacks; `titles`, if those reads have shown them, need no further request.
   */
  around?: (
    input: Given<O, Extra>,
    context: ToolContext,
    send: (changed?: InputOf<O>, options?: CallOptions) => Promise<AnswerOf<O>>,
  ) => Promise<readonly [answer: AnswerOf<O>, facts: Facts, titles?: Titles | undefined]>;
  present: (
    answer: AnswerOf<O>,
    input: Given<O, Extra>,
    titles: Titles,
    facts: Facts,
    context: Pick<ToolContext, 'cursors' | 'now' | 'timezone' | 'stores'>,
  ) => Presented;
}

/** Facts for the answer of a write, read before and after it. */
export type WriteFacts = Record<string, unknown>;

/** The arguments whose titles the answer does not show: the record of an update shows its own title. */
function notShown(titled: readonly string[], recordKeys: readonly string[], answer: object): readonly string[] {
  const hasTitle = ['title', 'name'].some((key) => key in answer);
  return hasTitle ? titled.filter((name) => !recordKeys.includes(name)) : titled;
}

/** Why a list is not what was asked for, by its own answer. A page may have a next one, if the answer of the tool names it. */
function listDoubt({ data }: Presented, { effect, response }: Operation, answer: object): string | undefined {
  if (effect !== 'read' || response.kind !== 'list' || !('items' in answer) || !Array.isArray(answer.items)) return;
  if (!('meta' in response.extra.shape)) return whyNotWhole(answer.items);
  const { partial, more, total = 0 } = listClaims(answer.items);
  if (partial !== undefined) return `the API says that this page is not whole: ${partial}`;
  const meta = 'meta' in answer && isObject(answer.meta) ? answer.meta : {};
  const stated = meta[`total_${response.key}`];
  if (typeof stated === 'number' && total > stated)
    return `the API reports ${total} records beside a total of ${stated}`;
  const isLast = (data.next_page ?? data.next_cursor) === undefined ? more : undefined;
  return isLast && `the API says that more follow: ${isLast}`;
}

/** A record whose fields could not all be read is incomplete, unless the answer counts them itself. */
function withCoverage(presented: Presented, operation: Operation, answer: object): Presented {
  const doubt = listDoubt(presented, operation, answer);
  if (doubt !== undefined) return mapAnswer(presented, (part) => incompleteFor([doubt], part));
  const { effect, response } = operation;
  const paths = effect === 'read' && response.kind !== 'list' ? unreadablePathsIn(answer) : [];
  if (paths.length === 0 || presented.data.coverage !== undefined) return presented;
  const names = paths.map((path) => oneLine(path.slice(2), 60));
  const unreadable = { values: paths.length };
  const why = `${unreadableText(unreadable)}: ${firstOf(names, 5, ', ')}`;
  return mapAnswer(presented, (part) => incompleteFor([why], part, { unreadable }));
}

/** The tool of one API operation: its texts, and how it shows the answer. The operation determines effect, hints and arguments. */
export function defineApiTool<
  O extends Operation,
  Extra extends Fields = Record<never, z.ZodType>,
  Facts extends object = WriteFacts,
>(definition: ApiToolDefinition<O, Extra, Facts>): Tool {
  const { operation, extra, around, present, check, confirmationMessage, confirmationFacts, ...words } = definition;
  type Input = Given<O, Extra>;
  const schema = extra === undefined ? inputSchema(operation) : inputSchema(operation).extend(extra);
  const isWrite = operation.effect !== 'read';
  // The arguments of a write whose answer shows a title beside the id, and those that address the record of an update.
  const titled = isWrite ? Object.keys(schema.shape).filter(isTitled) : [];
  const recordKeys = operation.effect === 'update' ? Object.keys(operation.params) : [];
  return {
    cost: { once: 1 },
    ...words,
    effect: operation.effect,
    repeat: operation.repeat,
    ...(isWrite ? { writes: [operation] } : {}),
    input: schema,
    check: (input) => {
      if (operation.effect === 'update') requireChange(operation, input);
      check?.(input as Input);
    },
    carriesUserContent: carriesUserContent(operation.response),
    confirmationMessage: confirmationMessage && ((input, titles) => confirmationMessage(input as InputOf<O>, titles)),
    confirmationFacts: confirmationFacts && ((input, context) => confirmationFacts(input as InputOf<O>, context)),
    titled,
    recordKeys,
    readOldValues: oldValuesOf(operation),
    run: async (input, context) => {
      const send = (changed = input as InputOf<O>, options: CallOptions = {}) =>
        context.api.call(operation, changed, options);
      // Without `around` there are no facts, and `present` uses none.
      const [answer, facts, known] = (await around?.(input as Input, context, send)) ?? [await send(), {} as Facts];
      // After the write, so that no lookup delays it.
      const titles = known ?? (await titlesOf(notShown(titled, recordKeys, answer), input, context));
      const presented = withCoverage(present(answer, input as Input, titles, facts, context), operation, answer);
      if (Object.keys(titles).length === 0) return presented;
      return mapAnswer(presented, ({ summary, data }) => ({ summary, data: withTitles(data, titles) }));
    },
  };
}
