import type { Api, ApiClient } from '../api/api.ts';
import { ageOf } from '../api/http/answer-age.ts';
import type { WriteNote } from '../api/writes/write-note.ts';
import { errorHasUndeclaredText, hasUndeclaredText } from './output/undeclared-text.ts';
import type { ToolContext } from './tool.ts';
import type { WaitStopwatch } from './wait-stopwatch.ts';

/** What one tool call has used, and the notes for its answer. */
export interface CallUsage {
  requests: number;
  /** The age of the oldest answer, in milliseconds. */
  ageMs: number;
  waits: WaitStopwatch;
  notes: WriteNote[];
}

/** Milliseconds before a wait is reported for the first time. */
const firstReportMs = 2_000;
/** Milliseconds between two reports of the same wait. */
const reportIntervalMs = 5_000;

/** Reports to the client, at intervals, that a call waits for the account's limit. Returns the function that ends the reports. */
function reportWait(expectedMs: number, progress: ToolContext['progress']): () => void {
  const start = performance.now();
  const report = () => {
    const left = Math.max(1, Math.ceil((expectedMs - (performance.now() - start)) / 1000));
    // 0 steps done: seconds would look like steps, and hide the steps that follow.
    progress(0, undefined, `waiting for the request limit, about ${left} s more`);
  };
  let timer = setTimeout(function again() {
    report();
    timer = setTimeout(again, reportIntervalMs).unref();
  }, firstReportMs).unref();
  return () => clearTimeout(timer);
}

type Scope = Pick<ToolContext, 'signal' | 'progress' | 'caller' | 'conversation'> & {
  readonly traceId?: string | undefined;
};

/** The API client of one tool call: cancelled with the call, counts its requests and reports its waits. */
export function meteredApi(api: ApiClient, tool: string, scope: Scope, usage: CallUsage): Api {
  const { signal, progress, caller, conversation, traceId } = scope;
  return {
    call: async (operation, input, options = {}) => {
      let endReports = () => {};
      let endWaiting: (() => void) | undefined;
      const onWait = (milliseconds: number) => {
        endWaiting ??= usage.waits.begin();
        endReports();
        endReports = reportWait(milliseconds, progress);
      };
      const endWait = () => {
        endReports();
        endWaiting?.();
        endWaiting = undefined;
      };
      const onRequest = () => {
        usage.requests += 1;
        endWait();
      };
      const onNote = (note: WriteNote) => void usage.notes.push(note);
      try {
        const own = { signal, onRequest, onWait, onNote, origin: { tool, caller, traceId } };
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
