import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../config/setting-sources.ts';

/** What a subcommand uses of its process. Created in main.ts. */
export interface CommandContext {
  readonly environment: Environment;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** For the log. Synchronous, so that the last lines are not lost. */
  readonly stderr: { write(line: string): void };
  /** Aborted by SIGTERM, SIGINT and SIGHUP. */
  readonly signal: AbortSignal;
  /** Path of the Node that runs this program. */
  readonly runtime: string;
  /** Path of this program, for a subcommand that starts the server as a separate process. */
  readonly program: string;
  /** Whether stdout shows colors. */
  readonly useColor: boolean;
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
