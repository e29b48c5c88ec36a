import type { Logger } from 'pino';
import type * as z from 'zod';
import type { Api } from '../api/api.ts';
import type { ApiClient } from '../api/client.ts';
import type { Journal, Origin } from '../api/writes/journal.ts';
import type { OldValues } from '../contract/lookups.ts';
import type { Effect, Operation, Repeat } from '../contract/operation.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { Cursors } from '../shared/cursor.ts';
import type { AskHuman } from './confirmation/elicitation.ts';
import type { DataMirror } from './data-mirror.ts';
import type { ExportSink } from './exports.ts';
import type { ReadImport } from './import-folder.ts';
import type { TableShapes, TextBody } from './output/text-format.ts';
import type { Scope, Toolset } from './principal.ts';
import type { Cost } from './request-cost.ts';
import type { Stores } from './workflow-stores.ts';

/** Titles and names of records, by the argument that holds the id. Not cleaned. */
export type Titles = Readonly<Partial<Record<string, string>>>;

/** A call as a change of the journal. `wasJournaled`: it has written a line. */
type CurrentChange = NonNullable<Origin['change']>;

type ClientFacts =
  | 'budget'
  | 'checksBeforeCreate'
  | 'clockShiftMs'
  | 'courseOfLesson'
  | 'isOutcomeUnknown'
  | 'recentGrants'
  | 'settleUnknown';

/** What a tool gets besides its input. Independent of the protocol, which `src/protocol/` implements. */
export interface ToolContext extends Pick<ApiClient, ClientFacts> {
  /** Bound to this call: its cancellation, priority and count of requests. */
  readonly api: Api;
  readonly signal: AbortSignal;
  /** Reports progress to the client, if the client asked for it. */
  readonly progress: (done: number, total: number | undefined, message: string) => void;
  /** The number of requests that this call has sent so far. */
  readonly spent: () => number;
  /** Begins a wait that the answer's `waited_s` counts; returns the function that ends it. */
  readonly waiting: () => () => void;
  /** The copy of the academy for SQL; undefined if it is off. */
  readonly mirror?: DataMirror | undefined;
  /** Where whole results go. */
  readonly exports: ExportSink;
  /** Reads a file of the person at this machine; undefined over HTTP. */
  readonly readImport?: ReadImport | undefined;
  /** What workflows keep between two calls. */
  readonly stores: Stores;
  readonly cursors: Cursors;
  /** The journal of changes; undefined if there is none. */
  readonly journal?: Journal | undefined;
  readonly change: CurrentChange;
  /** The events of the account; undefined if this program neither receives nor reads any. */
  readonly events?: EventFeed | undefined;
  /** The server's clock, as far as an answer has shown it. */
  readonly now: () => Date;
  /** What this call has read may have changed since: when it began, or earlier if a cache on the way answered. */
  readonly readAt: () => Date;
  /** IANA time zone of calls that name none. */
  readonly timezone: string;
  /** The name of the caller in the audit log. */
  readonly caller: string;
  /** The account that the call names, if the caller has several. */
  readonly account?: string | undefined;
  /** Whether the caller has a tool of this name: no tool runs another one for somebody who may not call it. */
  readonly has: (tool: string) => boolean;
  readonly conversation: Conversation;
  /** Asks the person who uses the client; undefined if the client does not support elicitation. */
  readonly askHuman: AskHuman | undefined;
  readonly log: Logger;
}

export interface Conversation {
  /** In the journal: given at its first call. */
  name?: string;
  /** Whether an answer has carried text that members wrote: from then on, instructions may come from a member. */
  hasUserContent: boolean;
  /** Learns before a call what other replicas know of the conversation. */
  load?(): Promise<void>;
  /** Lets them know, before the answer leaves. */
  save?(): Promise<void>;
}

export interface Cut {
  readonly records: number;
  /** The records of all lists, if the answer cuts several lists together and `shown` counts the records of all. */
  readonly total?: number;
  /** The answer with at most its first `most` records (of each list), how many it shows, and how to get the others. */
  readonly to: (most: number) => Part & { readonly shown: number; readonly how: string };
}

/** What both forms of an answer say, whether it is cut or not. */
export type Part = Pick<Presented, 'summary' | 'data'>;

/** The answer of a tool, before it is cleaned, truncated and written as text. */
export interface Presented {
  /** The first line of the text. `data` has all its facts too. */
  readonly summary: string;
  /** Becomes `structuredContent`: short keys, no nulls, no empty lists. */
  readonly data: Record<string, unknown>;
  /** How to answer with fewer records if this answer is too long. */
  readonly cut?: Cut;
  /** Writes the body of the text, for data that a table cannot show well. */
  readonly body?: TextBody;
  /** The tables of the text, for lists that have several pages. A list without a shape gets the columns of its rows. */
  readonly tables?: TableShapes;
  /** The list whose repeated values `structuredContent` states once. `usual`: fields in which a few rows may differ. */
  readonly short?: { readonly list: string; readonly usual?: readonly string[] };
  /** Fields of `data` that a later call sends back unchanged: they are never shortened. */
  readonly uncut?: readonly string[];
  /** Ids of the orders that the writes of the call made, or took something off. */
  readonly orders?: readonly string[];
}

/** The answer with a change to its summary and data, in its shortened forms too. */
export function mapAnswer(presented: Presented, change: (part: Part) => Part): Presented {
  const { cut } = presented;
  if (cut === undefined) return { ...presented, ...change(presented) };
  const to: Cut['to'] = (most) => {
    const part = cut.to(most);
    return { ...part, ...change(part) };
  };
  return { ...presented, ...change(presented), cut: { ...cut, to } };
}

/** An answer with at most so many rows (of each list), built again with fewer if it is too long; `how` says how to read the others. */
export function withCut(answer: (most: number) => Part, rows: number | readonly number[], how: string): Presented {
  const lengths = [rows].flat();
  const rowsTo = (most: number) => lengths.reduce((sum, length) => sum + Math.min(length, most), 0);
  const records = Math.max(0, ...lengths);
  const to = (most: number) => ({ ...answer(most), shown: rowsTo(most), how });
  return { ...answer(records), cut: { records, total: rowsTo(records), to } };
}

export type ViewAddress = `ui://academy/${string}.html`;

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly toolset: Toolset;
  readonly title: string;
  /** Without the cost, which `withCost` adds to it. */
  readonly description: string;
  /** The view that shows its answer in a client with MCP Apps. */
  readonly ui?: { readonly resourceUri: ViewAddress };
  readonly cost: Cost;
  /** A call that the sandbox's default academy answers, without `confirm`. */
  readonly example: z.output<Input>;
  readonly effect: Effect;
  /** Of a write. */
  readonly repeat?: Repeat;
  /** Listed only if the program has the events of the account. */
  readonly needsEvents?: true | undefined;
  /** Listed only if the program keeps a journal of changes. */
  readonly needsJournal?: true | undefined;
  /** The operations of its writes, by which it says whether it can be undone. */
  readonly writes?: readonly Operation[];
  /** The argument, an enum, that names another tool which this one runs. Its values are the tools that the caller has. */
  readonly runs?: string | undefined;
  /** Whether it needs consent like a destructive tool, because it writes many things at once. */
  readonly consent?: boolean | undefined;
  /** Whether a call without consent asks for the plan: then the plan is an answer, not an error. Only with `consent`. */
  readonly showsPlan?: boolean;
  /** Whether a client that loads most tools on demand should always load this one. */
  readonly alwaysLoad?: boolean;
  /** The scope that it needs, if effect and toolset do not determine it. */
  readonly scope?: Scope;
  readonly input: Input;
  readonly output: z.ZodObject;
  /** Refuses arguments that are valid alone but not together: throws `invalid_input`. */
  readonly check?: ((input: z.output<Input>) => void) | undefined;
  /** Whether its answers, and so its errors, may carry text that members wrote. */
  readonly carriesUserContent: boolean;
  /** What this call would do, for the person who confirms it. Titles may be missing. */
  readonly confirmationMessage?: ((input: z.output<Input>, titles: Titles) => string) | undefined;
  /** Arguments whose titles the person who confirms reads. */
  readonly titled?: readonly string[];
  /** Arguments that identify the record of an update; all others are new values. */
  readonly recordKeys?: readonly string[];
  /** Reads the values that an update overwrites. Sends read requests only. */
  readonly readOldValues?: ((input: z.output<Input>, context: ToolContext) => Promise<OldValues>) | undefined;
  /**
   * Current facts that the person who confirms should know, a line each. Sends read requests only. `isReadAgain`: the call
   * that brings the consent reads them again, at its own cost.
   */
  readonly confirmationFacts?:
    | ((input: z.output<Input>, context: ToolContext, isReadAgain: boolean) => Promise<string[]>)
    | undefined;
  run(input: z.output<Input>, context: ToolContext): Promise<Presented>;
}

/** A tool with any input. `run` only gets what `input` has parsed. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}
