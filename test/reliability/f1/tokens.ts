import type { LogEntry } from '../fault-server.ts';

/** A token returns this long after the answer to its request, in milliseconds. */
const holdMs = 60_600;
/** Maximum time from a request's arrival at the server to its end at the client: a timeout and some delay. */
const maxRequestMs = 6_000;
const slackMs = 300;

/**
 * The minimum and maximum of spent tokens, by the requests at the server: one for each request of the last minute.
 * If a connection was cut before it was read, only the client knows whether a request was sent.
 */
export function tokensThatMayBeOut(log: readonly LogEntry[], now: number): [least: number, most: number] {
  const since = (moment: number) => log.filter(({ at }) => at >= moment);
  const surely = since(now - holdMs + slackMs).filter(({ method }) => method !== '');
  return [surely.length, since(now - holdMs - maxRequestMs).length];
}
