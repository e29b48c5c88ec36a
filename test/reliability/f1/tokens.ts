import type { LogEntry } from '../fault-server.ts';

/** A token comes back this long after the answer to its request, in milliseconds. */
const holdMs = 60_600;
/** Between a request's coming to the server and its end at the client lie at most a time-out and some delay. */
const maxRequestMs = 6_000;
const slackMs = 300;

/**
 * The least and most tokens that may be out now, by what reached the server: one for each request of the last minute.
 * Of a connection that was cut before it was read, only the client knows whether a request had left.
 */
export function tokensThatMayBeOut(log: readonly LogEntry[], now: number): [least: number, most: number] {
  const since = (moment: number) => log.filter(({ at }) => at >= moment);
  const surely = since(now - holdMs + slackMs).filter(({ method }) => method !== '');
  return [surely.length, since(now - holdMs - maxRequestMs).length];
}
