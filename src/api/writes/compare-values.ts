import { isDateOrTime } from '../../contract/schemas/date-time.ts';
import type { FieldFormat } from '../../contract/schemas/field-format.ts';
import { composed } from '../../shared/clean-text.ts';

/**
 * How what is shown of a field stands to what was sent. `altered`: the platform has kept it in another form, as it does with
 * markup that it does not allow, with long texts and with prices in cents.
 */
export type Sameness = 'same' | 'altered' | 'other';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** What a reader sees of a text: entities, normal form and white space do not matter. */
function tidy(text: string): string {
  return composed(withoutEntities(text)).replace(/\s+/g, ' ').trim();
}

/** Elements that a platform takes out with all that they hold. */
const takenWhole = /^(script|style|iframe|object|embed)\b/i;

/**
 * A text without its markup. Goes through the text once: a pattern would begin anew at each bracket that is never closed.
 */
function withoutMarkup(text: string): string {
  const [first = '', ...rest] = text.split('<');
  const kept = [first];
  let inside: string | undefined;
  for (const piece of rest) {
    const end = piece.indexOf('>');
    const isClosing = inside !== undefined && piece.slice(1, inside.length + 1).toLowerCase() === inside;
    if (inside === undefined || (piece.startsWith('/') && isClosing)) {
      inside = takenWhole.exec(piece)?.[1]?.toLowerCase();
      kept.push(end < 0 ? `<${piece}` : ` ${inside === undefined ? piece.slice(end + 1) : ''}`);
    }
  }
  return kept.join('');
}

/** The words of a text without its markup, and without what a platform takes out whole. */
export function wordsOnly(text: string): string {
  return tidy(withoutMarkup(text));
}

/** "49", 49, "$49.00", "49,00" and "49.00 USD" are one amount; undefined for what is no number. */
function amountIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  const [, sign = '', digits = ''] =
    /^(?:[A-Z]{3}|\p{Sc})?\s*(-?)((?:\d[\d ,.]*)?\d)\s*(?:[A-Z]{3}|\p{Sc})?$/u.exec(text) ?? [];
  if (digits === '') return undefined;
  const [, whole = digits, fraction = ''] = /^(.*)[.,](\d{1,2}|\d{4,})$/.exec(digits) ?? [];
  return Number(`${sign}${whole.replace(/\D/g, '')}.${fraction || '0'}`);
}

const flags = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [1, true],
  [false, false],
  ['false', false],
  ['0', false],
  [0, false],
  [null, false],
]);

const hasZone = /(Z|[+-]\d\d:?\d\d)$/i;
/** No zone is further from UTC. */
const widestZone = 14 * 3_600_000;

/** A day, or a time without a zone, is one of the account's own zone, which is not known. */
function areSameTime(given: string, shown: string): boolean {
  const [one, other] = [given, shown].map((text) =>
    Date.parse(hasZone.test(text) || text.length <= 10 ? text : `${text}Z`),
  );
  const apart = Math.abs((one ?? 0) - (other ?? 0));
  return apart < 1_000 || (!(hasZone.test(given) && hasZone.test(shown)) && apart <= widestZone);
}

/** So long is a text that was cut by a column, and not by whoever wrote it. */
const shortestCut = 200;

function isCutOf(shown: string, given: string): boolean {
  const start = shown.replace(/(…|\.\.\.)$/, '').trimEnd();
  return start.length < given.length && given.startsWith(start) && (start.length >= shortestCut || start !== shown);
}

function sameText(given: string, shown: string): Sameness {
  const [sent, now] = [tidy(given), tidy(shown)];
  if (sent === now) return 'same';
  const isMarkup = wordsOnly(given) === wordsOnly(shown);
  return isMarkup || (now.length >= 20 && isCutOf(now, sent)) ? 'altered' : 'other';
}

function sameAmount(given: number, shown: number): Sameness {
  if (given === shown) return 'same';
  return given !== 0 && Math.abs(shown - given * 100) < 1e-6 ? 'altered' : 'other';
}

/** Compares a value that was sent with what an answer shows in its place, however the API writes it. `meaning` is the field's. */
export function compareValues(given: unknown, shown: unknown, meaning?: FieldFormat): Sameness {
  if (given === shown) return 'same';
  if (given === null || given === '') return shown === null || shown === '' ? 'same' : 'other';
  if (typeof given === 'boolean')
    return flags.get(typeof shown === 'string' ? shown.toLowerCase() : shown) === given ? 'same' : 'other';
  if (typeof given === 'number') return amountIn(shown) === given ? 'same' : 'other';
  if (typeof given !== 'string') return JSON.stringify(given) === JSON.stringify(shown) ? 'same' : 'other';
  const [sent, now] = [amountIn(given), amountIn(shown)];
  if (meaning === 'decimal' && sent !== undefined && now !== undefined) return sameAmount(sent, now);
  if (typeof shown !== 'string') return String(shown) === given ? 'same' : 'other';
  if (meaning === 'time' && isDateOrTime(given) && isDateOrTime(shown.replace(' ', 'T')))
    return areSameTime(given, shown.replace(' ', 'T')) ? 'same' : 'other';
  return sameText(given, shown);
}
