import type { Json, Order, Post, State, Student } from './state.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  /** For example "orders.list"; empty if the endpoint does not exist. */
  readonly route: string;
  /** Segments of the path that are parameters. */
  readonly ids: readonly string[];
  readonly query: Record<string, string>;
  readonly body: Json;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Sent unchanged instead of the body. */
  readonly raw?: string | Buffer;
  /** The connection ends after this many bytes of the body. */
  readonly cutAfter?: number;
}

export const ok = (body: unknown, status = 200): Reply => ({ status, headers: {}, body });

export function failure(status: number, code: string, message: string, more: Json = {}): Reply {
  const body = { error: message, errors: [{ code, message }], request_id: 'req-odd', ...more };
  return { status, headers: {}, body };
}

export const notFound = () => failure(404, 'not_found', 'Record not found');

export function html(status: number, text: string, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body: undefined, raw: text };
}

/** The effect of a write, and its answer after the effect was done (or not). */
export interface Write {
  effect(): void;
  answer(): Reply;
}

export function isWrite(given: Reply | Write): given is Write {
  return 'effect' in given;
}

export type Handler = (call: Call, academy: Academy) => Reply | Write;

/** By the name, the method and the path of their route: "orders.get GET /orders/:id". */
export type Handlers = Readonly<Record<string, Handler>>;

export function cut(all: readonly Json[], page: number, size: number): Json[] {
  return all.slice((page - 1) * size, page * size);
}

export function metaOf({ list, all, page, size }: Pick<PageQuestion, 'list' | 'all' | 'page' | 'size'>): Json {
  const total_pages = Math.max(1, Math.ceil(all.length / size));
  return { current_page: page, per_page: size, total_pages, [`total_${list}`]: all.length };
}

const isReply = (given: Page | Reply): given is Reply => 'status' in given;

export function paged(
  question: Omit<PageQuestion, 'page' | 'call' | 'academy'>,
  call: Call,
  academy: Academy,
  more: Json = {},
): Reply {
  const page = Number(call.query.page ?? 1);
  if (!Number.isInteger(page) || page < 1) return failure(422, 'invalid_parameter', 'page is not valid');
  const whole: PageQuestion = { ...question, page, call, academy };
  let shown: Page | Reply = { shown: cut(question.all, page, question.size), meta: metaOf(whole) };
  for (const rules of academy.rules) {
    if (!isReply(shown)) shown = rules.page?.(shown, whole) ?? shown;
  }
  if (isReply(shown)) return shown;
  return ok({ [question.list]: shown.shown, ...more, ...(shown.meta === undefined ? {} : { meta: shown.meta }) });
}

/** Whether a time lies within created_after and created_before; both are inclusive unless a switch says otherwise. */
export function isWithin(at: number, { query }: Call, { rules }: Academy): boolean {
  const { created_after: after, created_before: before } = query;
  const own = rules.findLast(({ within }) => within !== undefined)?.within;
  if (own !== undefined) return own(at, after, before);
  return (after === undefined || at >= Date.parse(after)) && (before === undefined || at <= Date.parse(before));
}

/** A page to show, and the list that it was cut from. */
export interface Page {
  readonly shown: readonly Json[];
  readonly meta: Json | undefined;
}

export interface PageQuestion {
  readonly list: 'orders' | 'students' | 'posts';
  readonly all: readonly Json[];
  readonly page: number;
  readonly size: number;
  readonly call: Call;
  readonly academy: Academy;
}

/** Changes between the truth and the sent data. A switch sets some of them; several can be combined. */
export interface Rules {
  seed?(state: State, now: number): void;
  /** Milliseconds by which the clock of the academy is ahead. */
  clockMs?: number;
  /** The details of students carry a field that speaks against access to their courses. */
  hinders?: true;
  question?(call: Call, academy: Academy): void;
  within?(at: number, after: string | undefined, before: string | undefined): boolean;
  /** Whether an order of this email is shown if the request asks for `wanted`. */
  ofStudent?(email: string, wanted: string, academy: Academy): boolean;
  order?(shown: Json, order: Order, academy: Academy): Json;
  student?(shown: Json, student: Student): Json;
  post?(shown: Json, post: Post): Json;
  structure?(shown: Json, academy: Academy): Json;
  details?(shown: Json, student: Student, academy: Academy): Json;
  page?(page: Page, question: PageQuestion): Page | Reply;
  before?(call: Call, academy: Academy): Reply | undefined;
  /** Whether a write is done, skipped, or done later. */
  effect?(call: Call, academy: Academy): 'done' | 'dropped' | 'late';
  after?(reply: Reply, call: Call, academy: Academy): Reply;
}

interface LogEntry {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly body: Json;
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
