import type { ToolAnswer } from '../../support/connect.ts';
import type { OddAcademy } from '../academy/server.ts';
import { hundredths, type Sums } from './probes/sales.ts';

/** What is wrong with an answer. `isUntrue`: it states what is not so, which even a part of the truth may not do. */
export interface Finding {
  readonly what: string;
  readonly isUntrue: boolean;
}

export const lacks = (what: string): Finding => ({ what, isUntrue: false });
export const states = (what: string): Finding => ({ what, isUntrue: true });
const differs = (what: string, said: number, truth: number): Finding[] =>
  said === truth ? [] : [{ what: `${said} ${what}, in truth ${truth}`, isUntrue: said > truth }];

/** Counts that may be less than the truth in a part of it, never more. */
export function countFindings(said: Json, truths: Readonly<Record<string, number>>): Finding[] {
  return Object.entries(truths).flatMap(([key, truth]) => differs(key, Number(said[key] ?? 0), truth));
}

function revenueIn(value: unknown): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [written, sum] of Object.entries(record(value))) {
    const currency = written.toUpperCase();
    sums[currency] = (sums[currency] ?? 0) + hundredths(String(sum));
  }
  return sums;
}

/** The truth counts everybody with an order, and sums whole orders. */
export function sumFindings(value: unknown, truth: Sums): Finding[] {
  const { buyers, holders = buyers, orders, revenue, order_total = revenue } = record(value);
  const said = revenueIn(order_total);
  const currencies = [...new Set([...Object.keys(said), ...Object.keys(truth.revenue)])];
  return [
    ...(holders === undefined ? [] : differs('buyers', Number(holders), truth.buyers)),
    ...differs('orders', Number(orders ?? 0), truth.orders),
    // A sum with an unknown currency claims nothing about a currency.
    ...currencies.flatMap((currency) => {
      const found = differs(`hundredths of ${currency}`, said[currency] ?? 0, truth.revenue[currency] ?? 0);
      return /^[A-Z]{3}$/.test(currency) ? found : found.map(({ what }) => lacks(what));
    }),
  ];
}

/** `isNamed`: whether an entry states something; default: each does. */
export function setFindings(
  what: string,
  shown: readonly string[],
  truth: readonly string[],
  isNamed: (key: string) => boolean = () => true,
): Finding[] {
  const [one, other] = [new Set(shown), new Set(truth)];
  const missing = [...other].filter((key) => !one.has(key));
  const extra = [...one].filter((key) => !other.has(key));
  const twice = shown.length - one.size;
  return [
    ...(missing.length > 0 ? [lacks(`${missing.length} of ${other.size} ${what} missing (${missing[0]})`)] : []),
    ...extra.map((key) => (isNamed(key) ? states : lacks)(`untrue ${what}: ${key}`)),
    ...(twice > 0 ? [lacks(`${twice} ${what} twice`)] : []),
  ];
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

export const wrong = (why: string): Judged => ({ verdict: 'WRONG', why: why.replaceAll(/\s+/g, ' ').slice(0, 200) });
export const right: Judged = { verdict: 'right', why: '' };
export const incomplete = (why = ''): Judged => ({ verdict: 'incomplete', why });

/** A doubt is needless if the switch makes no difference. */
export const doubted = ({ kind }: Pick<Terms, 'kind'>, why: string): Judged =>
  kind === 'fine' ? { verdict: 'worse', why } : incomplete(why);

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
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

export function judgeRead(answer: ToolAnswer, findings: readonly Finding[], terms: Terms): Judged {
  if (answer.code !== 'ok') return judgeError(answer, terms);
  const [first = ''] = answer.text.split('\n');
  const [difference, untrue] = [findings[0]?.what, findings.find(({ isUntrue }) => isUntrue)];
  if (!admits(answer)) return difference === undefined ? right : wrong(difference);
  if (untrue !== undefined) return wrong(`says that it is incomplete, but states ${untrue.what}`);
  if (!textAdmits(answer)) return wrong(`the text does not say that it is incomplete: ${first}`);
  return doubted(terms, difference ?? `the same as the truth, but called uncertain: ${first}`);
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
