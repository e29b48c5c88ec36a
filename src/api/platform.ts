import type { Logger } from 'pino';
import type { AnswerHeaders } from './http/attempt-result.ts';

/** What is known of the platform from the headers of its answers. */
export interface PlatformReport {
  /** X-API-Version of the last answer that the API gave; undefined where it had none. API document: "Versioning". */
  readonly apiVersion: string | undefined;
  /** Whether any answer of the API has come that should have named its version. */
  readonly hasAnswered: boolean;
  /** The server's clock less ours, in milliseconds; undefined before an answer has told its time. */
  readonly clockDifferenceMs: number | undefined;
}

/** When a request was sent and when its answer was there, in milliseconds of our clock since 1970. */
export interface RoundTrip {
  readonly sentAt: number;
  readonly answeredAt: number;
}

export interface Platform {
  /** Learns from an answer of the API. `isOfApi`: JSON of a 2xx, so that the API itself has made it. */
  learn(headers: AnswerHeaders, roundTrip: RoundTrip, isOfApi: boolean): void;
  report(): PlatformReport;
  /** What to add to a time of ours to have the server's; 0 where they differ by less than a minute. Milliseconds. */
  clockShiftMs(): number;
}

export const knownVersion = 'v1';

/** A smaller difference is none: the Date header has whole seconds, and what is young is so for minutes. Milliseconds. */
const smallestDifference = 60_000;
/** A measurement is replaced after so long, even by one that took longer: clocks are set. Milliseconds. */
const measurementLasts = 10 * 60_000;

interface Measurement {
  readonly differenceMs: number;
  readonly roundTripMs: number;
  readonly takenAt: number;
}

/** The header is cut to whole seconds, so half a second is added; the server wrote it somewhere within the roundTrip. */
function measure(
  date: string | undefined,
  { sentAt, answeredAt }: RoundTrip,
  takenAt: number,
): Measurement | undefined {
  const serverTime = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serverTime)) return undefined;
  return {
    differenceMs: Math.round(serverTime + 500 - (sentAt + answeredAt) / 2),
    roundTripMs: answeredAt - sentAt,
    takenAt,
  };
}

/** The measurement to go on with: of two the one whose roundTrip was shorter is the more exact. */
function better(known: Measurement | undefined, next: Measurement | undefined): Measurement | undefined {
  if (known === undefined || next === undefined) return next ?? known;
  const isOld = next.takenAt - known.takenAt > measurementLasts;
  // A clock that was set makes any roundTrip wrong by more than the roundTrip itself.
  const isSet =
    Math.abs(next.differenceMs - known.differenceMs) > smallestDifference + next.roundTripMs + known.roundTripMs;
  return isOld || isSet || next.roundTripMs <= known.roundTripMs ? next : known;
}

/** Watches version and clock of the platform. Says once for each version in the log that it is not the one this is made for. */
export function createPlatform(log: Logger, monotonic: () => number = () => performance.now()): Platform {
  const told = new Set<string | undefined>();
  let measured: Measurement | undefined;
  let apiVersion: string | undefined;
  let hasAnswered = false;

  function learnVersion(version: string | undefined): void {
    apiVersion = version?.trim().slice(0, 40);
    hasAnswered = true;
    if (apiVersion === knownVersion || told.has(apiVersion) || told.size > 10) return;
    told.add(apiVersion);
    const what =
      apiVersion === undefined ? 'answers do not name their API version' : 'answers are of another API version';
    log.warn({ apiVersion, expected: knownVersion }, what);
  }

  return {
    learn: (headers, roundTrip, isOfApi) => {
      measured = better(measured, measure(headers.date, roundTrip, monotonic()));
      if (isOfApi) learnVersion(headers.apiVersion);
    },
    report: () => ({ apiVersion, hasAnswered, clockDifferenceMs: measured?.differenceMs }),
    clockShiftMs: () => {
      const difference = measured?.differenceMs ?? 0;
      return Math.abs(difference) > smallestDifference ? difference : 0;
    },
  };
}
