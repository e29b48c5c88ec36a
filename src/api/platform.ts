import type { Logger } from 'pino';
import { type AnswerHeaders, ageIn } from './http/attempt-result.ts';

export interface PlatformReport {
  /** X-API-Version of the last answer of the API; undefined if it had none. API document: "Versioning". */
  readonly apiVersion: string | undefined;
  /** Whether the API has given an answer that should name its version. */
  readonly hasAnswered: boolean;
  /** The server's clock less ours, in milliseconds; undefined before an answer with a Date header. */
  readonly clockDifferenceMs: number | undefined;
}

/** When a request was sent and when its answer arrived, in milliseconds of our clock since 1970. */
interface RoundTrip {
  readonly sentAt: number;
  readonly answeredAt: number;
}

export type Platform = ReturnType<typeof createPlatform>;

export const supportedVersion = 'v1';

/** Smaller differences count as none: the Date header has whole seconds, and "recent" means minutes. Milliseconds. */
const smallestDifference = 60_000;
/**
 * The server's clock less ours, in milliseconds. The header is cut to whole seconds, so this adds half a second. The server wrote
 * it at some point of the round trip; a cache on the way may have written another one.
 */
function differenceIn(headers: AnswerHeaders, { sentAt, answeredAt }: RoundTrip): number | undefined {
  const serverTime = headers.date === undefined || ageIn(headers) > 0 ? Number.NaN : Date.parse(headers.date);
  return Number.isNaN(serverTime) ? undefined : Math.round(serverTime + 500 - (sentAt + answeredAt) / 2);
}

/** Tracks version and clock of the platform. Logs each API version other than the supported one, once. */
export function createPlatform(log: Logger) {
  const loggedVersions = new Set<string | undefined>();
  let clockDifferenceMs: number | undefined;
  let apiVersion: string | undefined;
  let hasAnswered = false;

  function learnVersion(version: string | undefined): void {
    apiVersion = version?.trim().slice(0, 40);
    hasAnswered = true;
    if (apiVersion === supportedVersion || loggedVersions.has(apiVersion) || loggedVersions.size > 10) return;
    loggedVersions.add(apiVersion);
    const what =
      apiVersion === undefined ? 'answers do not name their API version' : 'answers are of another API version';
    log.warn({ apiVersion, expected: supportedVersion }, what);
  }

  return {
    /** Learns from an answer. `isOfApi`: it is JSON of a 2xx, so the API itself made it. */
    learn: (headers: AnswerHeaders, roundTrip: RoundTrip, isOfApi: boolean): void => {
      clockDifferenceMs = differenceIn(headers, roundTrip) ?? clockDifferenceMs;
      if (isOfApi) learnVersion(headers.apiVersion);
    },
    report: (): PlatformReport => ({ apiVersion, hasAnswered, clockDifferenceMs }),
    /** The server's clock less ours, in milliseconds; 0 if they differ by less than a minute. */
    clockShiftMs: (): number => {
      return Math.abs(clockDifferenceMs ?? 0) > smallestDifference ? (clockDifferenceMs ?? 0) : 0;
    },
  };
}
