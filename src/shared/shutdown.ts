import { setMaxListeners } from 'node:events';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { AcademyError } from './errors.ts';

/** A signal that aborts at shutdown. Each waiting call adds a listener, so Node's leak warning at 11 listeners is off. */
export function createShutdownSignal(): AbortController {
  const shutdown = new AbortController();
  setMaxListeners(0, shutdown.signal);
  return shutdown;
}

/** The error of a call that is still waiting at shutdown. */
export function ending(): AcademyError {
  return new AcademyError('cancelled', 'the server is stopping; nothing was sent', { outcome: 'not_applied' });
}

/** The error of a call whose answer cannot be waited for at shutdown. */
export function stopping(): AcademyError {
  return new AcademyError('cancelled', 'the server is stopping');
}

export async function waitForAll(running: ReadonlySet<Promise<unknown>>, milliseconds: number): Promise<void> {
  const timer = new AbortController();
  const expired = sleep(milliseconds, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([Promise.allSettled(running), expired]);
  timer.abort();
  // The answer of a call that has just settled is written a few promises later.
  await setImmediate();
}
