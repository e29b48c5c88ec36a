import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';

const hidden = '[hidden]';

/** Emails are the identity of students: they reach no log, in whatever field or message they stand. */
const anyEmail = /[^\s@"'<>,;:()[\]{}=]+@[^\s@"'<>,;:()[\]{}=]+\.[^\s@"'<>,;:()[\]{}=]+/g;

/**
 * Logs JSON lines. Every finished line is searched for the secrets and for emails, since redaction by path misses what
 * stands in messages and causes. `secrets` are replaced wherever they occur.
 */
export function createLogger(
  level: Config['logLevel'],
  secrets: readonly string[],
  destination: DestinationStream,
): Logger {
  // In a line of JSON a quote or a backslash of a secret is escaped.
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const scrub = (line: string): string =>
    written.reduce((text, secret) => text.replaceAll(secret, hidden), line).replace(anyEmail, '[email]');
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => destination.write(scrub(line)) },
  );
}
