import type { Api, ApiClient } from '../api/api.ts';
import type { WriteNote } from '../api/writes/write-note.ts';
import { hasStrangeText, isStrangeError } from './output/undeclared-text.ts';
import type { ToolContext } from './tool.ts';
import type { WaitClock } from './wait-stopwatch.ts';

/** What one tool call cost, and what it should add to its answer. */
export interface Spending {
  requests: number;
  waits: WaitClock;
  notes: WriteNote[];
}

/** A wait shorter than this is not worth a word, in milliseconds. */
const worthTelling = 2_000;
/** Between two words about the same wait. */
const tellEvery = 5_000;

/** Tells the client, again and again, that a call waits for the account's limit. Returns what ends it. */
function tellOfWait(expectedMs: number, progress: ToolContext['progress']): () => void {
  const start = performance.now();
  const tell = () => {
    const left = Math.max(1, Math.ceil((expectedMs - (performance.now() - start)) / 1000));
    // Nothing is done meanwhile: seconds would be taken for steps, and hide the steps that follow.
    progress(0, undefined, `waiting for the request limit, about ${left} s more`);
  };
  let timer = setTimeout(function again() {
    tell();
    timer = setTimeout(again, tellEvery).unref();
  }, worthTelling).unref();
  return () => clearTimeout(timer);
}

type Scope = Pick<ToolContext, 'signal' | 'progress' | 'caller' | 'conversation'>;

/** The client as one tool call has it: cancelled with it, counted for it, and speaking of its waits. */
export function meteredApi(api: ApiClient, tool: string, scope: Scope, spending: Spending): Api {
  const { signal, progress, caller, conversation } = scope;
  return {
    call: async (operation, input, options = {}) => {
      let endTelling = () => {};
      let endWaiting: (() => void) | undefined;
      const onWait = (milliseconds: number) => {
        endWaiting ??= spending.waits.begin();
        endTelling();
        endTelling = tellOfWait(milliseconds, progress);
      };
      const endWait = () => {
        endTelling();
        endWaiting?.();
        endWaiting = undefined;
      };
      const onRequest = () => {
        spending.requests += 1;
        endWait();
      };
      const onNote = (note: WriteNote) => void spending.notes.push(note);
      try {
        const own = { signal, onRequest, onWait, onNote, origin: { tool, caller } };
        const answer = await api.call(operation, input, { ...own, ...options });
        if (hasStrangeText(operation, answer)) conversation.hasUserContent = true;
        return answer;
      } catch (error) {
        if (isStrangeError(error)) conversation.hasUserContent = true;
        throw error;
      } finally {
        endWait();
      }
    },
  };
}
