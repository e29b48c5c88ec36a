import type { Logger } from 'pino';
import type { Api, ApiClient } from '../api/client.ts';
import { AcademyError } from '../errors.ts';
import { errorText, internalError } from './error-text.ts';
import { parseInput } from './input.ts';
import type { ListCache } from './list-cache.ts';
import { toSize } from './size.ts';
import type { Tool, ToolContext } from './tool.ts';

export interface CallDependencies {
  api: ApiClient;
  lists: ListCache;
  log: Logger;
  /** Calls that have not answered yet, so that the program can end after them. */
  running: Set<Promise<unknown>>;
}

export interface CallSignals {
  signal: AbortSignal;
  progress: ToolContext['progress'];
}

/** The result of a tools/call, in the words of the protocol. */
export interface CallResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta: Record<string, unknown>;
}

/** What one tool call cost, apart from what it answered. */
interface Cost {
  requests: number;
  waitedMs: number;
}

function boundApi(api: ApiClient, signal: AbortSignal, cost: Cost): Api {
  return {
    call: async (operation, input, options = {}) => {
      const onRequest = () => {
        cost.requests += 1;
      };
      const onWait = (milliseconds: number) => {
        cost.waitedMs += milliseconds;
      };
      return await api.call(operation, input, { signal, onRequest, onWait, ...options });
    },
  };
}

function budgetMeta(api: ApiClient, cost: Cost): Record<string, unknown> {
  const { limit, remaining } = api.budget();
  const budget = { limit, remaining, requests: cost.requests, waited_s: Math.round(cost.waitedMs / 1000) };
  return { 'academy/budget': budget };
}

function failed(thrown: unknown, tool: Tool, log: Logger): AcademyError {
  if (thrown instanceof AcademyError && thrown.code !== 'internal') return thrown;
  const error = internalError(thrown);
  log.error({ tool: tool.name, err: thrown }, 'a tool failed unexpectedly');
  return error;
}

async function answer(tool: Tool, given: unknown, context: ToolContext): Promise<Omit<CallResult, '_meta'>> {
  const input = parseInput(tool.input, given);
  tool.check?.(input);
  const { text, data } = toSize(await tool.run(input, context));
  return { content: [{ type: 'text', text }], structuredContent: data };
}

async function guarded(
  tool: Tool,
  given: unknown,
  { api, lists, log }: CallDependencies,
  { signal, progress }: CallSignals,
): Promise<CallResult> {
  const cost: Cost = { requests: 0, waitedMs: 0 };
  const context = { api: boundApi(api, signal, cost), signal, progress, lists, log };
  try {
    return { ...(await answer(tool, given, context)), _meta: budgetMeta(api, cost) };
  } catch (thrown) {
    const text = errorText(failed(thrown, tool, log));
    return { content: [{ type: 'text', text }], isError: true, _meta: budgetMeta(api, cost) };
  }
}

/** Runs one tool: checks the input, and turns every failure into an answer. The one error boundary. */
export async function callTool(
  tool: Tool,
  given: unknown,
  dependencies: CallDependencies,
  signals: CallSignals,
): Promise<CallResult> {
  const call = guarded(tool, given, dependencies, signals);
  dependencies.running.add(call);
  return await call.finally(() => dependencies.running.delete(call));
}
