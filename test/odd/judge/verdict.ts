import type { ToolAnswer } from '../../support/connect.ts';
import type { OddAcademy } from '../academy/server.ts';
import { hundredths, type Sums } from './probes/sales.ts';

// Describes how an answer differs from the truth, and which part of it exceeds the truth.

function revenueIn(value: unknown): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [written, sum] of Object.entries(record(value))) {
    const currency = written.toUpperCase();
    sums[currency] = (sums[currency] ?? 0) + hundredths(String(sum));
  }
  return sums;
}

const sameRevenue = (one: Record<string, number>, other: Record<string, number>) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (currency) => (one[currency] ?? 0) === (other[currency] ?? 0),
  );

/** The truth counts everybody with an order, and sums whole orders. */
function sumsIn(value: unknown) {
  const { buyers, holders = buyers, orders, revenue, order_total = revenue } = record(value);
  return { buyers: holders, orders, revenue: order_total };
}

export function sumsDifference(value: unknown, truth: Sums): string | undefined {
  const { buyers, orders, revenue } = sumsIn(value);
  if (buyers !== undefined && buyers !== truth.buyers) return `${buyers} buyers, in truth ${truth.buyers}`;
  if (orders !== truth.orders) return `${orders} orders, in truth ${truth.orders}`;
  if (sameRevenue(revenueIn(revenue), truth.revenue)) return undefined;
  return `revenue ${JSON.stringify(revenue)}, in truth ${JSON.stringify(truth.revenue)} hundredths`;
}

/** Partial sums may be less than the truth, never more. */
export function sumsExcess(value: unknown, truth: Sums): string | undefined {
  const { buyers = 0, orders = 0, revenue } = sumsIn(value);
  if (Number(buyers) > truth.buyers) return `${buyers} buyers, in truth ${truth.buyers}`;
  if (Number(orders) > truth.orders) return `${orders} orders, in truth ${truth.orders}`;
  // A sum with an unknown currency claims nothing about a currency.
  const named = Object.entries(revenueIn(revenue)).filter(([currency]) => /^[A-Z]{3}$/.test(currency));
  const more = named.find(([currency, sum]) => sum > (truth.revenue[currency] ?? 0));
  return more === undefined ? undefined : `more revenue in ${more[0]} than in truth`;
}

function setDifference(shown: Iterable<string>, truth: Iterable<string>) {
  const [one, other] = [new Set(shown), new Set(truth)];
  return { missing: [...other].filter((key) => !one.has(key)), extra: [...one].filter((key) => !other.has(key)) };
}

export function setFindings(what: string, shown: readonly string[], truth: readonly string[]) {
  const { missing, extra } = setDifference(shown, truth);
  const twice = shown.length - new Set(shown).size;
  const parts = [
    ...(missing.length > 0 ? [`${missing.length} of ${truth.length} ${what} missing (${missing[0]})`] : []),
    ...(extra.length > 0 ? [`${extra.length} untrue ${what} (${extra[0]})`] : []),
    ...(twice > 0 ? [`${twice} ${what} twice`] : []),
  ];
  const falsehood = extra.length > 0 ? `${extra.length} untrue ${what} (${extra[0]})` : undefined;
  return { difference: parts.length > 0 ? parts.join(', ') : undefined, falsehood };
}

/**
 * right: equals the truth and says so. incomplete: differs or is partial, and says so. error: an error that says nothing untrue.
 * trusted: the API reported success for a write that it did not do, and showed nothing that contradicts it.
 * worse: a harmless difference made an answer an error or incomplete. WRONG: differs from the truth and does not say so.
 */
type Verdict = 'right' | 'incomplete' | 'error' | 'trusted' | 'worse' | 'WRONG';

export interface Judged {
  readonly verdict: Verdict;
  readonly why: string;
}

export const first = (...found: readonly (string | undefined)[]) => found.find((one) => one !== undefined);

export const wrong = (why: string): Judged => ({ verdict: 'WRONG', why: why.replaceAll(/\s+/g, ' ').slice(0, 200) });
export const right: Judged = { verdict: 'right', why: '' };
export const incomplete = (why = ''): Judged => ({ verdict: 'incomplete', why });

type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const record = (value: unknown): Json => (isRecord(value) ? value : {});
export const rowsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const isFilled = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 : isRecord(value) ? Object.keys(value).length > 0 : value !== undefined;

const doubt =
  /incomplete|not complete|so far|could not|unreadable|cannot (be )?(tell|read|know|say)|not (be )?(read|checked|proved|certain|sure)|unclear|unknown|uncertain|doubt|at least|may be|might be|does not (say|show|tell)|did not (say|show|tell)|no total|more than/i;

const noteOfDoubt =
  /incomplete|not (whole|complete)|could not|unreadable|cannot (tell|say|be (told|read|proved))|uncertain|not certain|(total|number)[^.]* (unknown|not (shown|known))|does not show the (total|number)/i;

export function admits({ structured: data = {} }: ToolAnswer): boolean {
  const coverage = record(data.coverage);
  if (coverage.complete === false || isFilled(coverage.unreadable) || isFilled(data.unreadable)) return true;
  if (isFilled(coverage.warnings) || isFilled(data.warnings)) return true;
  return data.complete === false || (typeof data.note === 'string' && noteOfDoubt.test(data.note));
}

/** Whether the first line of the text, or a line that begins with Warning or Note, says so too. */
function textAdmits({ text }: ToolAnswer): boolean {
  const [first = '', ...others] = text.split('\n');
  return doubt.test(first) || others.some((line) => /^(warnings?|note|unreadable)\b/i.test(line) && isFilled(line));
}

export interface Findings {
  /** How the answer differs from the truth; undefined if it does not. */
  readonly difference: string | undefined;
  /** An untrue statement of the answer, even as a part of the truth. */
  readonly falsehood?: string | undefined;
}

interface Terms {
  readonly kind: 'open' | 'departs' | 'fine';
  /** Text of an error that would be untrue. */
  readonly lies?: RegExp | undefined;
  /** The API's message, which an error must quote. */
  readonly words?: string | undefined;
}

export function judgeError({ text, code }: ToolAnswer, { kind, lies, words }: Terms): Judged {
  const first = text.split('\n')[0] ?? '';
  if (lies?.test(text)) return wrong(`an untrue reason: ${first}`);
  if (code === 'internal') return wrong(`an internal error: ${first}`);
  if (words !== undefined && !text.includes(words)) return wrong(`the message of the API is dropped: ${first}`);
  return { verdict: kind === 'fine' ? 'worse' : 'error', why: first.slice(0, 160) };
}

export function judgeRead(answer: ToolAnswer, { difference, falsehood }: Findings, terms: Terms): Judged {
  if (answer.code !== 'ok') return judgeError(answer, terms);
  if (!admits(answer)) return difference === undefined ? right : wrong(difference);
  if (falsehood !== undefined) return wrong(`says that it is incomplete, but states ${falsehood}`);
  if (!textAdmits(answer)) return wrong(`the text does not say that it is incomplete: ${answer.text.split('\n')[0]}`);
  if (terms.kind === 'fine') return { verdict: 'worse', why: `needlessly incomplete: ${answer.text.split('\n')[0]}` };
  return incomplete(difference ?? 'the same as the truth, but called uncertain');
}

export interface Harness {
  readonly academy: OddAcademy;
  readonly terms: Terms & { readonly trusts: boolean };
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  email(student: number): string;
}

/** One question to one tool, and its true answer. */
export interface Probe {
  /** The tool, and after a slash the variant of the question. */
  readonly name: string;
  judge(harness: Harness): Promise<Judged>;
}
