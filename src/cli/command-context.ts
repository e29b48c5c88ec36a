import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../config/setting-sources.ts';

/** The process, as a subcommand sees it. Made in main.ts. */
export interface CommandContext {
  readonly environment: Environment;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** For the log: written at once, so that nothing is lost at the end. */
  readonly stderr: { write(line: string): void };
  /** Aborted by SIGTERM, SIGINT and SIGHUP. */
  readonly signal: AbortSignal;
  /** The Node that runs this program. */
  readonly runtime: string;
  /** The file that was started, for a subcommand that starts the server as a process of its own. */
  readonly program: string;
  /** Whether colours may be used on stdout. */
  readonly useColor: boolean;
}

/** Resolves when the process is asked to end. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
