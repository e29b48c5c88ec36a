import { connectToApi } from '../../support/connect.ts';
import { startHttpProgram } from '../../support/program.ts';
import type { Reply, Replying } from '../../support/recorder.ts';
import { start } from '../../support/sandbox.ts';

/** One way to break a promise of the program. */
export interface Attack {
  readonly words: string;
  /** Runs only in the whole form: it starts programs or moves megabytes. */
  readonly isLong?: boolean;
  /** Tries it through the public interface, in a scope of its own. Returns why it was not blocked, or undefined. */
  readonly attempt: () => Promise<string | undefined>;
}

type Settings = Record<string, string>;
const unchecked = { ACADEMY_PREFLIGHT: 'false' };

/** A client of an API that answers like this. */
export const over = (reply: Reply | Replying, settings?: Settings) =>
  connectToApi(reply, { ...unchecked, ...settings });

/** The built program over HTTP, with an embedded academy. */
export async function overHttp(settings: Settings = {}) {
  const sandbox = await start({ students: 20, orders: 50 });
  const address = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey, ACADEMY_RATE_LIMIT: 'off' };
  const { url } = await startHttpProgram({ environment: { ...address, ...unchecked, ...settings } });
  return { url, port: Number(new URL(url).port) };
}

export function unless(isHeld: boolean, why: string): string | undefined {
  return isHeld ? undefined : why.slice(0, 400);
}

export function firstOf(reasons: Iterable<string | undefined>): string | undefined {
  return [...reasons].find((reason) => reason !== undefined);
}
