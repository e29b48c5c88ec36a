/** Receives the measurements of the program. It is passed in, so that no metrics library is loaded without metrics. */
export interface Meter {
  /** A tools/call of a `caller` has ended. `code`: `ok`, `input_required` if it ended with a question, or its error code. */
  call(tool: string, code: string, seconds: number, caller: string): void;
  /** A request to the API has ended. `status`: its HTTP status or the kind of failure. */
  request(operation: string, status: string, seconds: number): void;
  wait(seconds: number): void;
  /** A webhook delivery was answered (`stored`, `duplicate`, `refused`), or an event was checked (its state). */
  event(event: string, result: string): void;
}

export const noMeter: Meter = { call: () => {}, request: () => {}, wait: () => {}, event: () => {} };

export function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
