import type { Logger } from 'pino';
import type * as z from 'zod';
import type { Api } from '../api/api.ts';
import type { Budget } from '../api/rate-limit/limiter.ts';
import type { OldValues } from '../contract/old-values.ts';
import type { Effect, Operation, Repeat } from '../contract/operation.ts';
import type { RecordIndex } from '../contract/record-lookup.ts';
import type { Cursors } from '../shared/cursor.ts';
import type { AskHuman } from './confirmation/elicitation.ts';
import type { ListCache } from './list-cache.ts';
import type { TextBody } from './output/text-format.ts';
import type { Scope } from './principal.ts';
import type { Toolset } from './toolsets.ts';
import type { Stores } from './workflow-stores.ts';

/** What is called how: titles and names by the argument that holds the id. Not cleaned. */
export type Titles = Readonly<Partial<Record<string, string>>>;

/** What a tool gets besides its input. It knows no protocol: that is the business of `src/protocol/legacy` and `src/protocol/modern`. */
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
  readonly recordIndex: RecordIndex;
  /** Whether an equal write of unknown outcome was sent a short while ago: it would only be looked for now. */
  readonly isUnsettled: (operation: Operation, input: object) => boolean;
  /** Whether a create first looks for what is there: ACADEMY_PREFLIGHT. */
  readonly looksFirst: boolean;
  /** Lists fetched whole, kept for the next page. */
  readonly lists: ListCache;
  /** What workflows keep between two calls. */
  readonly stores: Stores;
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
  hasUserContent: boolean;
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
  readonly outline?: TextBody;
  /** Fields of `data` that a later call sends back as they are, so that no part of them is cut. */
  readonly uncut?: readonly string[];
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
  readonly carriesUserContent: boolean;
  /** Destructive tools: what this very call would do, for the one who confirms it. Titles may be missing. */
  readonly confirmationMessage?: ((input: z.output<Input>, titles: Titles) => string) | undefined;
  /** Arguments whose titles are shown to the one who confirms. */
  readonly titled?: readonly string[];
  /** Arguments of an update that say which record it changes; all others are what it changes. */
  readonly recordKeys?: readonly string[];
  /** What an update overwrites, as far as it can be read. Sends read requests only. */
  readonly old?: ((input: z.output<Input>, context: ToolContext) => Promise<OldValues>) | undefined;
  /**
   * Facts of now that the one who confirms should know, a line each. Sends read requests only. `isReadAgain`: the call
   * that brings the consent reads them once more, at its own cost.
   */
  readonly confirmationFacts?:
    | ((input: z.output<Input>, context: ToolContext, isReadAgain: boolean) => Promise<string[]>)
    | undefined;
  run(input: z.output<Input>, context: ToolContext): Promise<Presented>;
}

/** A tool of any shape. Input is only ever passed to `run` after `input` has parsed it. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}
