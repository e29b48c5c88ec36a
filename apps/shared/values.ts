import { dayMs } from '../../src/shared/durations.ts';
import { isObject, type Json } from '../../src/shared/json.ts';

// Reads the parts of an answer. A missing or odd value never breaks a view.

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Also from text, as arguments may have it: the tools accept both. */
export const number = (value: unknown): number | undefined => {
  if (typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : undefined;
};

/** Also from text, like a number. */
export const flag = (value: unknown): boolean | undefined => [true, false].find((one) => String(one) === String(value));

export const record = (value: unknown): Json => (isObject(value) ? value : {});

export const records = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** Sums by currency, as decimal strings. */
export type Sums = Readonly<Record<string, string>>;

export function sums(value: unknown): Sums {
  // Without a prototype: no currency has the name of an inherited method.
  const found: Record<string, string> = Object.create(null);
  for (const [currency, sum] of Object.entries(record(value))) if (typeof sum === 'string') found[currency] = sum;
  return found;
}

/** Sums by currency, or one sum in the currency that the answer names once. */
export const sumsIn = (value: unknown, currency: string): Sums =>
  sums(typeof value === 'string' ? { [currency]: value } : value);

/** The rows of an answer, each with the usual values, which the answer names once. */
export const rowsIn = (answer: Json, list: string): Json[] =>
  records(answer[list]).map((row) => ({ ...record(answer.defaults), ...row }));

/** Orders sums by one currency, then those without it by their own. */
export function compareSums(one: Sums, other: Sums, currency: string): number {
  const [first = '', second = ''] = [one, other].map((of) => (currency in of ? currency : (Object.keys(of)[0] ?? '')));
  const rank = Number(first === currency) - Number(second === currency);
  return rank || first.localeCompare(second) || Number(one[first] ?? 0) - Number(other[second] ?? 0);
}

/** "1,249.50": the exact digits, in groups of three. */
export function grouped(amount: string): string {
  const [whole = '', ...decimals] = amount.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.');
}

export function sumsText(of: Sums): string {
  return Object.entries(of)
    .map(([currency, sum]) => `${grouped(sum)} ${currency}`)
    .join(' + ');
}

/** "3 orders", "1 order". */
export const counted = (count: number, one: string): string =>
  `${grouped(String(count))} ${one}${count === 1 ? '' : 's'}`;

export const capitalized = (sentence: string): string => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;

/** "2026-11-18" of an ISO time. */
export const dayOf = (time: string | undefined): string => time?.slice(0, 10) ?? '';

/** "2026-11-18 17:06", in the zone of the answer. */
export const minuteOf = (time: string | undefined): string => time?.slice(0, 16).replace('T', ' ') ?? '';

/** The last day of a period. One that ends at midnight does not reach into the day of its end. */
function lastDayOf(to: string): string {
  const isMidnight = /T00:00(:00(\.0+)?)?(Z|[+-]\d\d:\d\d)?$/.test(to);
  return isMidnight ? dayOf(new Date(Date.parse(dayOf(to)) - dayMs).toISOString()) : dayOf(to);
}

/** "2026-11-01 to 2026-11-22" of a period of an answer: the first and the last day. "so far" stays on the line of its date. */
function periodText(period: Json): string {
  const [from, to] = [dayOf(text(period.from)), lastDayOf(text(period.to) ?? '')];
  const zone = text(period.timezone);
  const days = from === '' ? `up to ${to}` : `${from} to ${to}`;
  const named = zone === undefined || zone === 'UTC' ? '' : ` (${zone})`;
  return `${days}${named}${period.running === true ? '\u00a0so\u00a0far' : ''}`;
}

/** Of fields that a view names otherwise, in the words of the view. */
const wholeOrders = 'Totals are of whole orders, other products included';

export const noteIn = (note: unknown): string[] =>
  (text(note)?.split('. ') ?? []).map((one) => `${capitalized(one.replace(/^order_total:.*/, wholeOrders))}.`);

// The totals and notes of an answer about sales: the same for buyers and for groups.

/** "at least 3 buyers"; empty if the answer has no such count. */
function countText({ counts_are }: Json, count: unknown, one: string): string {
  const bound = text(counts_are);
  return typeof count === 'number' ? `${bound === undefined ? '' : `${bound} `}${counted(count, one)}` : '';
}

/** "Incomplete: 3 buyers · 4 orders · 99.00 USD · 2026-11-01 to 2026-11-22". */
export function summaryText({ totals, period, coverage }: Json, sums: Sums): string {
  const { buyers, holders, orders, ...others } = record(totals);
  const parts = [
    countText(others, buyers, 'buyer'),
    countText(others, holders, 'holder'),
    countText(others, orders, 'order'),
    sumsText(sums),
    periodText(record(period)),
  ];
  const start = record(coverage).complete === false ? 'Incomplete: ' : '';
  return start + parts.filter((part) => part !== '').join(' · ');
}

/** When the answer was read, and whether from the mirror. */
function asOfText({ as_of, new_up_to, changes_as_of, source }: Json): string[] {
  const [time, newest, changes] = [as_of, new_up_to, changes_as_of].map((one) => minuteOf(text(one)));
  const times = newest === '' ? `as of ${time} UTC` : `new orders up to ${newest} UTC, changes as of ${changes} UTC`;
  if (time === '' && newest === '') return [];
  return [source === undefined ? `${capitalized(times)}.` : `From the ${source}, ${times}.`];
}

export function notesText({ note, amounts, totals, coverage }: Json): string[] {
  const excluded = number(record(totals).granted_excluded) ?? 0;
  const left = number(record(coverage).pages_left) ?? 0;
  return [
    ...(left > 0 ? [`${counted(left, 'page')} of orders not read yet: load more to read on.`] : []),
    ...(excluded > 0 ? [`${counted(excluded, 'order')} of amount 0 (granted, free or a coupon) not counted.`] : []),
    ...(amounts === undefined ? [] : [`${wholeOrders}.`]),
    ...noteIn(note),
    ...asOfText(record(coverage)),
  ];
}

/** Whether the rows replace those of the part before, by the sentence with which the server says so. */
export const isReplacing = ({ note }: Json): boolean =>
  text(note)?.includes('this answer replaces the one before') === true;
