import type { ServerResponse } from 'node:http';
import { onClosed } from '../../protocol/http-response.ts';
import { isObject } from '../../shared/json.ts';

// An answer with an export needs tens of megabytes until the client has read it. So few of them exist at the same time, and of
// one caller only one: the others wait for their turn, and cost nothing meanwhile.

const limits = {
  /** Answers with exports that no client has read yet. */
  together: 2,
  /** How long a client may take to read one, in milliseconds, before its connection is closed for the next. */
  readMs: 60_000,
};

interface Waiting {
  readonly caller: string;
  readonly begin: () => void;
}

/** The number of exports that a body of one or more messages asks for. */
export function exportsAskedIn(body: unknown): number {
  const messages = Array.isArray(body) ? body : [body];
  const isExport = ({ method, params }: Record<string, unknown>) =>
    method === 'resources/read' && isObject(params) && String(params.uri).includes('/exports/');
  return messages.filter((message) => isObject(message) && isExport(message)).length;
}

export interface ExportTurns {
  /** Resolves to true when the answer may be made, and to false if the client has left before. The turn ends with the response. */
  enter(caller: string, response: ServerResponse): Promise<boolean>;
}

export function createExportTurns({ together, readMs } = limits): ExportTurns {
  const waiting = new Set<Waiting>();
  const busy = new Set<string>();

  function beginNext(): void {
    for (const one of waiting) {
      if (busy.size >= together) return;
      if (busy.has(one.caller)) continue;
      waiting.delete(one);
      busy.add(one.caller);
      one.begin();
    }
  }

  return {
    enter: (caller, response) =>
      new Promise((resolve) => {
        const one = {
          caller,
          begin: () => {
            const timer = setTimeout(() => response.destroy(), readMs).unref();
            onClosed(response, () => {
              clearTimeout(timer);
              busy.delete(caller);
              beginNext();
            });
            resolve(true);
          },
        };
        waiting.add(one);
        onClosed(response, () => {
          if (waiting.delete(one)) resolve(false);
        });
        beginNext();
      }),
  };
}
