import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Api } from '../api/api.ts';
import type { ApiClient } from '../api/client.ts';
import { ageOf } from '../api/http/answer-facts.ts';
import { newChangeId } from '../api/writes/journal.ts';
import type { WriteNote } from '../api/writes/write-outcome.ts';
import { minuteMs } from '../shared/durations.ts';
import { AcademyError } from '../shared/errors.ts';
import { type Meter, noMeter, secondsSince } from '../shared/metrics.ts';
import { askUntil, ElicitationRequired } from './confirmation/elicitation.ts';
import { parseInput } from './input/parse-input.ts';
import { errorText, internalError, outcomeOf } from './output/error-text.ts';
import { withMemberFields } from './output/output-schemas.ts';
import type { Redact } from './output/redact.ts';
import { truncate } from './output/truncate.ts';
import { errorHasUndeclaredText, hasUndeclaredText } from './output/undeclared-text.ts';
import { withNotes } from './output/write-notes.ts';
import { mapAnswer, type Part, type Tool, type ToolContext } from './tool.ts';
import { withUndo } from './undo-words.ts';
import { lastWrite } from './workflow-stores.ts';

interface CallUsage {
  requests: number;
  /** The age of the oldest answer, in milliseconds. */
  ageMs: number;
  readonly waits: ReturnType<typeof createWaitStopwatch>;
  readonly notes: WriteNote[];
}

/** Measures how long a call has waited for the request limit. Concurrent waits count once: it is the time that the caller lost. */
function createWaitStopwatch() {
  let open = 0;
  let since = 0;
  let sum = 0;
  return {
    /** Begins a wait; returns the function that ends it. */
    begin: () => {
      if (open === 0) since = performance.now();
      open += 1;
      return () => {
        open -= 1;
        if (open === 0) sum += performance.now() - since;
      };
    },
    seconds: () => Math.round(sum / 1000),
  };
}

/** Milliseconds between two reports of the same wait. */
const reportIntervalMs = 2_500;

/** Reports to the client, at intervals, that a call waits for the account's limit. Returns the function that ends the reports. */
function reportWait(expectedMs: number, progress: ToolContext['progress']): () => void {
  const start = performance.now();
  const timer = setInterval(() => {
    const left = Math.max(1, Math.ceil((expectedMs - (performance.now() - start)) / 1000));
    // 0 steps done: seconds would look like steps, and hide the steps that follow.
    progress(0, undefined, `waiting for the request limit, about ${left} s more`);
  }, reportIntervalMs).unref();
  return () => clearInterval(timer);
}

/** The API client of one tool call: cancelled with the call, counts its requests and reports its waits. */
function meteredApi(
  api: ApiClient,
  tool: string,
  scope: CallScope & Pick<ToolContext, 'change'>,
  usage: CallUsage,
): Api {
  const { signal, progress, caller, conversation, change, traceId } = scope;
  // Each read under way listens. Node's warning about a leak would come at 11.
  setMaxListeners(0, signal);
  return {
    call: async (operation, input, options = {}) => {
      let endWait = () => {};
      const onWait = (milliseconds: number) => {
        endWait();
        const ends = [usage.waits.begin(), reportWait(milliseconds, progress)];
        endWait = () => {
          for (const end of ends.splice(0)) end();
        };
      };
      const onRequest = () => {
        usage.requests += 1;
        endWait();
      };
      const onNote = (note: WriteNote) => void usage.notes.push(note);
      try {
        const own = { signal, onRequest, onWait, onNote, origin: { tool, caller, traceId, change } };
        if (operation.effect !== 'read') change.hasWritten = true;
        const answer = await api.call(operation, input, { ...own, ...options });
        usage.ageMs = Math.max(usage.ageMs, ageOf(answer));
        conversation.hasUserContent ||= hasUndeclaredText(operation, answer);
        return answer;
      } catch (error) {
        conversation.hasUserContent ||= errorHasUndeclaredText(error);
        throw error;
      } finally {
        endWait();
      }
    },
  };
}

/** What all calls share. */
export interface CallDependencies
  extends Omit<ToolContext, keyof CallScope | 'api' | 'change' | 'readAt' | 'spent' | 'waiting'> {
  api: ApiClient;
  /** Removes the secrets of this program from answers. */
  redact: Redact;
  /** Calls without an answer yet: the program ends after them. */
  running: Set<Promise<unknown>>;
  meter?: Meter | undefined;
  /** Aborted when the program ends. */
  end: AbortSignal;
}

/** The parts of the context that belong to one call and its connection. */
export type CallScope = Pick<
  ToolContext,
  'signal' | 'progress' | 'caller' | 'account' | 'has' | 'conversation' | 'askHuman'
> & {
  /** The trace of the client that this call belongs to, for the log and the audit log. */
  readonly traceId?: string | undefined;
};

/** The result of a tools/call, as the protocol defines it. */
export interface CallResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta: Record<string, unknown>;
}

function budgetMeta(api: ApiClient, { requests, waits }: CallUsage): Record<string, unknown> {
  const { limit, remaining } = api.budget();
  return { 'academy/budget': { limit, remaining, requests, waited_s: waits.seconds() } };
}

function failed(thrown: unknown, tool: Tool, log: Logger, { traceId, signal }: CallScope): AcademyError {
  if (thrown instanceof AcademyError) return thrown;
  // Of a wait that the caller has ended.
  const outcome = tool.effect === 'read' ? undefined : 'outcome_unknown';
  if (signal.aborted) return new AcademyError('cancelled', 'the call was cancelled', { outcome, cause: thrown });
  const trace = traceId === undefined ? {} : { trace_id: traceId };
  log.error({ tool: tool.name, ...trace, err: thrown }, 'a tool failed unexpectedly');
  return internalError(thrown);
}

/** The server's clock. `isOff`: it was asked before an answer had shown that this machine's clock differs. */
function createServerClock(now: () => Date, { clockShiftMs }: Pick<ApiClient, 'clockShiftMs'>) {
  let first: number | undefined;
  return {
    now: () => {
      first ??= clockShiftMs();
      return new Date(now().getTime() + clockShiftMs());
    },
    isOff: () => first !== undefined && Math.abs(clockShiftMs() - first) > minuteMs,
  };
}

/** A call that waited for the request limit says for how long: seconds, from 1 on. */
function withWait({ summary, data }: Part, { waits }: CallUsage): Part {
  const waited_s = waits.seconds();
  if (waited_s < 1) return { summary, data };
  return {
    summary: `${summary}${/[.!?]$/.test(summary) ? '' : '.'} Waited ${waited_s} s for the request limit.`,
    data: { ...data, waited_s },
  };
}

async function answer(tool: Tool, args: unknown, context: ToolContext, usage: CallUsage, redact: Redact) {
  const input = parseInput(tool.input, args);
  tool.check?.(input);
  // An error may repeat what the tool has read.
  const answered = await tool.run(input, context).finally(() => {
    context.conversation.hasUserContent ||= tool.carriesUserContent;
  });
  const { journal, change } = context;
  if (change.wasJournaled === true && answered.orders?.length) await journal?.noteOrders(change.id, answered.orders);
  const noted = (part: Part) => withWait(withNotes(part, usage.notes), usage);
  const whole = mapAnswer(answered, (part) => withMemberFields(withUndo(noted(part), tool, context), tool));
  const { text, data, json } = truncate(whole);
  return { content: [{ type: 'text' as const, text: redact(text) }], structuredContent: redact(data, json) };
}

/** Each progress notification needs a larger value (specification, "Progress"), even if it only reports a wait. */
function increasing(progress: ToolContext['progress']): ToolContext['progress'] {
  let last = -1;
  return (done, total, message) => {
    last = done > last ? done : last + 0.001;
    progress(last, total === undefined ? undefined : Math.max(total, last), message);
  };
}

async function guarded(tool: Tool, args: unknown, dependencies: CallDependencies, scope: CallScope) {
  const { api, redact, meter = noMeter, end, now, log, stores } = dependencies;
  const isWrite = tool.effect !== 'read';
  const start = performance.now();
  const begun = now().getTime();
  const usage: CallUsage = { requests: 0, ageMs: 0, waits: createWaitStopwatch(), notes: [] };
  const progress = increasing(scope.progress);
  // A read changes nothing, and random bytes cost as much as all else that is done before its request.
  scope.conversation.name ??= newChangeId();
  const change = { id: isWrite ? newChangeId() : '', conversation: scope.conversation.name };
  const clock = createServerClock(now, api);
  const own = { change, ...scope, progress, askHuman: scope.askHuman && askUntil(end, scope.askHuman, progress) };
  const spending = {
    api: meteredApi(api, tool.name, own, usage),
    now: clock.now,
    readAt: () => new Date(begun + api.clockShiftMs() - usage.ageMs),
    spent: () => usage.requests,
    waiting: usage.waits.begin,
  };
  // Three spreads into one literal of this size take fifteen times as long.
  const context: ToolContext = Object.assign(own, dependencies, spending);
  try {
    await scope.conversation.load?.();
    const asking = async () => {
      const answered = await answer(tool, args, context, usage, redact);
      // The first answer of this process has shown the clock that its question needed.
      return !isWrite && clock.isOff() ? await answer(tool, args, context, usage, redact) : answered;
    };
    const answering = asking().finally(() => {
      if (isWrite) stores.of(lastWrite).at = clock.now().getTime();
    });
    const answered = await answering.finally(scope.conversation.save);
    meter.call(tool.name, 'ok', secondsSince(start), scope.caller);
    const result: CallResult = { ...answered, _meta: budgetMeta(api, usage) };
    return { result };
  } catch (thrown) {
    if (thrown instanceof ElicitationRequired) {
      meter.call(tool.name, 'input_required', secondsSince(start), scope.caller);
      throw thrown;
    }
    const error = failed(thrown, tool, log, scope);
    meter.call(tool.name, error.code, secondsSince(start), scope.caller);
    const text = redact(errorText(error, outcomeOf(error, isWrite)));
    const result: CallResult = { content: [{ type: 'text', text }], isError: true, _meta: budgetMeta(api, usage) };
    return { result, error };
  }
}

/** Runs one tool. The only error boundary: every failure becomes an answer, except `ElicitationRequired`, which is none. */
export async function callTool(tool: Tool, args: unknown, dependencies: CallDependencies, scope: CallScope) {
  const call = guarded(tool, args, dependencies, scope);
  dependencies.running.add(call);
  return await call.finally(() => dependencies.running.delete(call));
}
