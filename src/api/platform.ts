import type { Logger } from 'pino';
import { type Answered, ageIn, headerOf } from './http/attempt-result.ts';

export type Platform = ReturnType<typeof createPlatform>;

export const supportedVersion = 'v1';

/** Smaller differences count as none: the Date header has whole seconds, and "recent" means minutes. Milliseconds. */
const smallestDifference = 60_000;

/** Tracks version and clock of the platform. Logs each API version other than the supported one, once. */
export function createPlatform(log: Logger) {
  const loggedVersions = new Set<string | undefined>([supportedVersion]);
  let clockShiftMs = 0;
  let apiVersion: string | undefined;

  /** The header is cut to whole seconds, hence the half. The server wrote it at some point of the round trip. */
  function learnClock(result: Answered, sentAt: number): void {
    const serverTime = ageIn(result) > 0 ? Number.NaN : Date.parse(headerOf(result, 'date') ?? '');
    if (Number.isNaN(serverTime)) return;
    const difference = Math.round(serverTime + 500 - (sentAt + Date.now()) / 2);
    clockShiftMs = Math.abs(difference) > smallestDifference ? difference : 0;
  }

  function learnVersion(version: string | undefined): void {
    apiVersion = version?.trim().slice(0, 40);
    if (loggedVersions.has(apiVersion) || loggedVersions.size > 10) return;
    loggedVersions.add(apiVersion);
    const what = apiVersion === undefined ? 'do not name their API version' : 'are of another API version';
    log.warn({ apiVersion, expected: supportedVersion }, `answers ${what}`);
  }

  return {
    /** Learns from an answer that has just arrived. `sentAt`: in milliseconds of our clock since 1970. */
    learn: (result: Answered, sentAt: number): void => {
      learnClock(result, sentAt);
      // The API itself made it.
      if (result.body === 'json' && result.status < 300) learnVersion(headerOf(result, 'x-api-version'));
    },
    apiVersion: () => apiVersion,
    /** The server's clock less ours, in milliseconds; 0 if they differ by less than a minute. */
    clockShiftMs: () => clockShiftMs,
  };
}
