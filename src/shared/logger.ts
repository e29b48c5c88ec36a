import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { cutAt } from './clean-text.ts';
import { isObject } from './json.ts';

const hidden = '[hidden]';

/** Characters of a text in the log. The stack of an error of ours is shorter. */
const maxText = 4_000;
const maxEntries = 100;
const deepest = 8;

/** What stands between separators. One that holds an email is replaced whole, which takes one pass: no character is read twice. */
const words = /[^\s"'<>,;:()[\]{}=]+/g;

/** Something, an at sign, and a name with a dot within it. */
function holdsEmail(word: string): boolean {
  const [, ...hosts] = word.split('@');
  const isHost = (host: string) => host.slice(1, -1).includes('.');
  return hosts.some((host, index) => isHost(host) && (index > 0 || !word.startsWith('@')));
}

/** Emails are the identity of students: they reach no log, in whatever field or message they stand. */
export function withoutEmails(text: string): string {
  if (!text.includes('@')) return text;
  return text.replace(words, (word) => (word.includes('@') && holdsEmail(word) ? '[email]' : word));
}

/** A text as it is logged. It is cut between words, so that no half of an email is left that nobody would know for one. */
function shortText(text: string): string {
  if (text.length <= maxText) return text;
  const cut = cutAt(text, maxText);
  const end = Math.max(...[' ', '\n', '"', ',', ';', '('].map((mark) => cut.lastIndexOf(mark)), 0);
  return `${cut.slice(0, end)}…`;
}

/** A value as it is logged: what a client sent may stand anywhere in it. */
function short(value: unknown, strike: (text: string) => string, levels = deepest): unknown {
  if (typeof value === 'string') return shortText(strike(value));
  if (levels === 0 && typeof value === 'object') return '…';
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => short(entry, strike, levels - 1));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).slice(0, maxEntries);
  return Object.fromEntries(fields.map(([name, field]) => [cutAt(name, 100), short(field, strike, levels - 1)]));
}

/**
 * Logs JSON lines. Every value is cut first; every finished line is searched for the secrets and for emails, since
 * redaction by path misses what stands in messages and causes. `secrets` are replaced wherever they occur, also before
 * the cut, which could leave half of one.
 */
export function createLogger(
  level: LevelWithSilent,
  secrets: readonly string[],
  destination: DestinationStream,
): Logger {
  // In a line of JSON a quote or a backslash of a secret is escaped.
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const strike = (text: string) => written.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
  const scrub = (line: string): string => withoutEmails(strike(line));
  const formatters = {
    log: ({ err, ...fields }: Record<string, unknown>) => {
      const error = err instanceof Error ? pino.stdSerializers.err(err) : err;
      return short(err === undefined ? fields : { ...fields, err: error }, strike) as Record<string, unknown>;
    },
  };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters, serializers: { err: (error) => error } },
    { write: (line) => destination.write(scrub(line)) },
  );
}
