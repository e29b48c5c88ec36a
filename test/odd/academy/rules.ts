import type { Call, Reply } from './call.ts';
import type { Json, Order, Post, State, Student } from './state.ts';

/** A page to show, and the list that it was cut from. */
export interface Page {
  readonly shown: readonly Json[];
  readonly meta: Json | undefined;
}

export interface PageQuestion {
  readonly list: 'orders' | 'students' | 'posts';
  /** All matching rows, in order. */
  readonly all: readonly Json[];
  readonly page: number;
  readonly size: number;
  readonly call: Call;
  readonly academy: Academy;
}

/** Changes between the truth and the sent data. A switch sets some of them; several can be combined. */
export interface Rules {
  /** Changes the data before the first request. */
  seed?(state: State, now: number): void;
  /** Milliseconds by which the clock of the academy is ahead. */
  clockMs?: number;
  /** Changes the query and the body that the handlers read. */
  question?(call: Call, academy: Academy): void;
  /** Whether a time is within the bounds of the query. */
  within?(at: number, after: string | undefined, before: string | undefined): boolean;
  /** Whether an order of this email is shown if the request asks for `wanted`. */
  ofStudent?(email: string, wanted: string, academy: Academy): boolean;
  order?(shown: Json, order: Order, academy: Academy): Json;
  student?(shown: Json, student: Student): Json;
  post?(shown: Json, post: Post): Json;
  structure?(shown: Json, academy: Academy): Json;
  details?(shown: Json, student: Student, academy: Academy): Json;
  page?(page: Page, question: PageQuestion): Page | Reply;
  /** Answers instead of the handler. */
  before?(call: Call, academy: Academy): Reply | undefined;
  /** Whether a write is done, skipped, or done later. */
  effect?(call: Call, academy: Academy): 'done' | 'dropped' | 'late';
  after?(reply: Reply, call: Call, academy: Academy): Reply;
}

export interface LogEntry {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly body: Json;
  /** A request that may change something. */
  readonly writes: boolean;
  /** How old its answer was, as a cache on the way said. */
  ageMs: number;
}

export interface Academy {
  readonly state: State;
  readonly rules: readonly Rules[];
  /** The current time by the academy's clock. */
  now(): number;
  readonly log: LogEntry[];
  /** Effects that have not happened yet. */
  readonly late: (() => void)[];
}

/** Applies this rule of every switch that has it, one after the other. */
export function shaped<Value>(
  { rules }: Academy,
  value: Value,
  shape: (rules: Rules, value: Value) => Value | undefined,
): Value {
  return rules.reduce((current, some) => shape(some, current) ?? current, value);
}
