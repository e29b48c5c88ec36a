/** What the program counts of itself. Who counts is passed in: without metrics nothing is loaded for them. */
export interface Meter {
  /** A tools/call has ended: `ok`, `input_required` where it ended with a question, or the code of its error. Seconds. */
  call(tool: string, code: string, seconds: number): void;
  /** A request to the API has ended: its HTTP status, or how it failed. Seconds. */
  request(operation: string, status: string, seconds: number): void;
  /** A request has had its turn after this many seconds in the queue. */
  wait(seconds: number): void;
}

export const noMeter: Meter = { call: () => {}, request: () => {}, wait: () => {} };

/** Seconds since a time of the monotonic clock. */
export function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
