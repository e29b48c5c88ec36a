import { type DestinationStream, type LevelWithSilent, pino } from 'pino';
import { cutAt } from './clean-text.ts';
import { isObject } from './json.ts';

const hidden = '[hidden]';

/** Characters of a text in the log. Stack traces of our errors are shorter. */
const maxTextLength = 4_000;
const maxEntries = 100;
const maxDepth = 8;

/** Words between separators. A word with an email is replaced whole, so that one pass reads no character twice. */
const words = /[^\s"'<>,;:()[\]{}=]+/g;

/** Whether a word has some text, an at sign, and a host name with a dot inside. */
function containsEmail(word: string): boolean {
  const [, ...hosts] = word.split('@');
  const isHost = (host: string) => host.slice(1, -1).includes('.');
  return hosts.some((host, index) => isHost(host) && (index > 0 || !word.startsWith('@')));
}

/** Replaces every email: emails identify students and must not reach the log, in any field or message. */
export function withoutEmails(text: string): string {
  if (!text.includes('@')) return text;
  return text.replace(words, (word) => (word.includes('@') && containsEmail(word) ? '[email]' : word));
}

/** Cuts a text between words: half an email would not be recognized as one. */
function cutText(text: string): string {
  if (text.length <= maxTextLength) return text;
  const cut = cutAt(text, maxTextLength);
  const end = Math.max(...[' ', '\n', '"', ',', ';', '('].map((mark) => cut.lastIndexOf(mark)), 0);
  return `${cut.slice(0, end)}…`;
}

/** Cuts all of a value, which may come from a client. Hides secrets first: the cut could leave half of one. */
function cutValue(value: unknown, hideSecrets: (text: string) => string, levels = maxDepth): unknown {
  if (typeof value === 'string') return cutText(hideSecrets(value));
  if (levels === 0 && typeof value === 'object') return '…';
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => cutValue(entry, hideSecrets, levels - 1));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).slice(0, maxEntries);
  return Object.fromEntries(
    fields.map(([name, field]) => [cutAt(name, 100), cutValue(field, hideSecrets, levels - 1)]),
  );
}

/** Hides secrets and emails in every finished line, since redaction by path misses messages and causes. */
export function createLogger(level: LevelWithSilent, secrets: readonly string[], destination: DestinationStream) {
  // In a JSON line, a quote or backslash in a secret is escaped.
  const hiddenTexts = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const hideSecrets = (text: string) => hiddenTexts.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
  const formatters = {
    log: ({ err, ...fields }: Record<string, unknown>) => {
      const error = err instanceof Error ? pino.stdSerializers.err(err) : err;
      return cutValue(err === undefined ? fields : { ...fields, err: error }, hideSecrets) as Record<string, unknown>;
    },
  };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters, serializers: { err: (error) => error } },
    { write: (line) => destination.write(withoutEmails(hideSecrets(line))) },
  );
}
