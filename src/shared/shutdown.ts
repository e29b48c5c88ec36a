import { setMaxListeners } from 'node:events';
import { AcademyError } from './errors.ts';

/**
 * For what is aborted when the program is to end. Everything that waits listens to it for as long as it waits, so that
 * listeners are as many as waits: Node, which warns of a leak from the eleventh on, would be wrong.
 */
export function createShutdownSignal(): AbortController {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  return end;
}

/** The error of a call that waits when the program ends. */
export function ending(): AcademyError {
  return new AcademyError('cancelled', 'the server is ending; nothing was sent', { outcome: 'not_applied' });
}
