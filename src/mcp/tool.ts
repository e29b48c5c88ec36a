import type { Logger } from 'pino';
import type * as z from 'zod';
import type { Api, CallOptions } from '../api/client.ts';
import type { Budget } from '../api/limiter.ts';
import type { ParsedAnswer } from '../contract/answer.ts';
import { type Effect, type InputOf, inputSchema, type Operation, type Repeat } from '../contract/operation.ts';
import type { OldValues } from './argument-lines.ts';
import type { AskHuman } from './ask-human.ts';
import type { Cursors } from './cursor.ts';
import { requireChange } from './input.ts';
import type { Jobs } from './jobs.ts';
import type { ListCache } from './list-cache.ts';
import { hasMemberText } from './member-text.ts';
import { oldValuesOf } from './old-values.ts';
import type { Scope } from './principal.ts';
import type { Outline } from './render.ts';
import { isTitled, type Titles, titlesOf, withTitles } from './titles.ts';

export const toolsets = [
  'account',
  'courses',
  'products',
  'community',
  'orders',
  'students',
  'access',
  'insights',
] as const;
export type Toolset = (typeof toolsets)[number];

/** What a tool gets besides its input. It knows no protocol: that is the business of `src/legacy` and `src/modern`. */
export interface ToolContext {
  /** Bound to this call: its cancellation, priority and count of requests. */
  readonly api: Api;
  readonly signal: AbortSignal;
  /** Tells the client how far the call has come, where it asked for that. */
  readonly progress: (done: number, total: number | undefined, message: string) => void;
  /** Requests that this call has sent so far. */
  readonly spent: () => number;
  /** Begins a wait that the answer's `waited_s` counts; returns what ends it. */
  readonly waiting: () => () => void;
  /** What the account's limit allows now. */
  readonly budget: () => Budget;
  /** The course of a lesson, where a structure that was read has shown it. */
  readonly courseOfLesson: (lessonId: number) => number | undefined;
  /** Whether an equal write of unknown outcome was sent a short while ago: it would only be looked for now. */
  readonly isUnsettled: (operation: Operation, input: object) => boolean;
  /** Whether a create first looks for what is there: ACADEMY_PREFLIGHT. */
  readonly looksFirst: boolean;
  /** Lists fetched whole, kept for the next page. */
  readonly lists: ListCache;
  /** What composite answers have read, kept for their next part. */
  readonly jobs: Jobs;
  readonly cursors: Cursors;
  readonly now: () => Date;
  /** What to add to a time of ours to get the server's, in milliseconds; 0 up to a minute. */
  readonly clockShiftMs: () => number;
  /** IANA zone in which days begin where a call names none. */
  readonly timezone: string;
  /** Who calls, as far as is known: the name that the audit log shows. */
  readonly caller: string;
  readonly conversation: Conversation;
  /** Puts a question to the human at the other end; undefined where their client cannot. */
  readonly askHuman: AskHuman | undefined;
  readonly log: Logger;
}

/** What has been said between one client and this server. */
export interface Conversation {
  /** An answer has carried text that members wrote: from then on it may be a stranger who speaks. */
  hasMemberText: boolean;
}

/** An answer whose list can be cut short. */
export interface Cut {
  readonly records: number;
  /** The answer with its first records, `most` of them or a few less, and how to get the others. */
  readonly to: (most: number) => Pick<Presented, 'summary' | 'data'> & { readonly shown: number; readonly how: string };
}

/** An answer before it is cleaned, fenced, cut to size and written as text. */
export interface Presented {
  /** The first line of the text. Every fact in it stands in `data` too. */
  readonly summary: string;
  /** Becomes `structuredContent`: short keys, no nulls, no empty lists. */
  readonly data: Record<string, unknown>;
  /** How to answer with fewer records where this is too long. */
  readonly cut?: Cut;
  /** Writes the body of the text where a table would not show the matter. */
  readonly outline?: Outline;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly toolset: Toolset;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly repeat: Repeat;
  /** Needs consent as if it took something away: it does many things at once. */
  readonly consent?: boolean;
  /** What a token must allow, where that does not follow from effect and toolset. */
  readonly scope?: Scope;
  readonly input: Input;
  readonly output: z.ZodObject;
  /** Has the last word on arguments that are each right but wrong together; throws `invalid_input`. */
  readonly check?: ((input: z.output<Input>, context: Pick<ToolContext, 'cursors'>) => void) | undefined;
  /** Whether its answers may carry text that members wrote. */
  readonly memberText: boolean;
  /** Destructive tools: what this very call would do, for the one who confirms it. Titles may be missing. */
  readonly consequence?: ((input: z.output<Input>, titles: Titles) => string) | undefined;
  /** Arguments whose titles are shown to the one who confirms. */
  readonly titled?: readonly string[];
  /** What an update overwrites, as far as it can be read. Sends read requests only. */
  readonly old?: ((input: z.output<Input>, context: ToolContext) => Promise<OldValues>) | undefined;
  /**
   * Facts of now that the one who confirms should know, a line each. Sends read requests only. `isReadAgain`: the call
   * that brings the consent reads them once more, at its own cost.
   */
  readonly preview?:
    | ((input: z.output<Input>, context: ToolContext, isReadAgain: boolean) => Promise<string[]>)
    | undefined;
  run(input: z.output<Input>, context: ToolContext): Promise<Presented>;
}

/** A tool of any shape. Input is only ever passed to `run` after `input` has parsed it. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

type Fields = Record<string, z.ZodType>;

interface ApiToolDefinition<O extends Operation, Extra extends Fields, Facts extends object> {
  name: string;
  toolset: Toolset;
  title: string;
  description: string;
  operation: O;
  /** Arguments beyond those of the operation, such as `limit` and `cursor`. */
  extra?: Extra;
  output: z.ZodObject;
  check?: (input: InputOf<O> & z.output<z.ZodObject<Extra>>, context: Pick<ToolContext, 'cursors'>) => void;
  consequence?: (input: InputOf<O>, titles: Titles) => string;
  preview?: (input: InputOf<O>, api: Api) => Promise<string[]>;
  /** Asks the API in another way than once with the input as it is. */
  ask?: (
    input: InputOf<O> & z.output<z.ZodObject<Extra>>,
    context: ToolContext,
  ) => Promise<ParsedAnswer<O['response']>>;
  /** Reads around a write what the answer is to tell beside the API's own. `send` makes the write, once, as asked for or changed. */
  around?: (
    input: InputOf<O> & z.output<z.ZodObject<Extra>>,
    context: ToolContext,
    send: (changed?: InputOf<O>, options?: CallOptions) => Promise<ParsedAnswer<O['response']>>,
  ) => Promise<readonly [answer: ParsedAnswer<O['response']>, told: Facts]>;
  present: (
    answer: ParsedAnswer<O['response']>,
    input: InputOf<O> & z.output<z.ZodObject<Extra>>,
    titles: Titles,
    told: Facts,
    context: Pick<ToolContext, 'cursors' | 'jobs'>,
  ) => Presented;
}

/** What was read around a write, as facts of its answer. */
export type Told = Record<string, unknown>;

/** The ids in a tool's arguments that a title goes with, where it writes. */
function titledIn({ effect }: Operation, input: z.ZodObject): string[] {
  return effect === 'read' ? [] : Object.keys(input.shape).filter(isTitled);
}

const ownKeys = ['id_or_slug', 'lesson_id'];

/** Titles that the answer itself does not show: that of the record stands in it, as a rule. */
function untold(titled: readonly string[], answer: object): readonly string[] {
  const shows = ['title', 'name'].some((key) => key in answer);
  return shows ? titled.filter((name) => !ownKeys.includes(name)) : titled;
}

/** An answer with the title of each id beside it, also where it is cut. */
function titledAnswer({ cut, ...presented }: Presented, titles: Titles): Presented {
  const data = withTitles(presented.data, titles);
  if (cut === undefined) return { ...presented, data };
  const to: Cut['to'] = (most) => {
    const part = cut.to(most);
    return { ...part, data: withTitles(part.data, titles) };
  };
  return { ...presented, data, cut: { ...cut, to } };
}

/** The tool of one API operation: its words, and how its answer is shown. Effect, hints and arguments follow. */
export function defineApiTool<
  O extends Operation,
  Extra extends Fields = Record<never, z.ZodType>,
  Facts extends object = Told,
>(definition: ApiToolDefinition<O, Extra, Facts>): Tool {
  const { operation, extra, ask, around, present, check, consequence, preview, ...words } = definition;
  type Input = InputOf<O> & z.output<z.ZodObject<Extra>>;
  const schema = extra === undefined ? inputSchema(operation) : inputSchema(operation).extend(extra);
  const titled = titledIn(operation, schema);
  return {
    ...words,
    effect: operation.effect,
    repeat: operation.repeat,
    input: schema,
    check: (input, context) => {
      if (operation.needsChange) requireChange(operation, input);
      check?.(input as Input, context);
    },
    memberText: hasMemberText(operation.response),
    consequence: consequence && ((input, titles) => consequence(input as InputOf<O>, titles)),
    preview: preview && ((input, { api }) => preview(input as InputOf<O>, api)),
    titled,
    old: oldValuesOf(operation),
    run: async (input, context) => {
      const send = (changed = input as InputOf<O>, options: CallOptions = {}) =>
        ask?.(input as Input, context) ?? context.api.call(operation, changed, options);
      // Without `around` there are no facts, and `present` asks for none.
      const [answer, told] = (await around?.(input as Input, context, send)) ?? [await send(), {} as Facts];
      // After the write: no look-up may take the turn of what was asked for.
      const titles = await titlesOf(untold(titled, answer), input, context);
      const presented = present(answer, input as Input, titles, told, context);
      return titledAnswer(presented, titles);
    },
  };
}
