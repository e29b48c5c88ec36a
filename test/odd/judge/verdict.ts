import type { ToolAnswer } from '../../reliability/tool-answer.ts';

/**
 * right: equals the truth and says so. incomplete: differs or is partial, and says so. error: an error that says nothing untrue.
 * trusted: the API reported success for a write that it did not do, and showed nothing that contradicts it.
 * worse: a harmless difference made an answer an error or incomplete. WRONG: differs from the truth and does not say so.
 */
export type Verdict = 'right' | 'incomplete' | 'error' | 'trusted' | 'worse' | 'WRONG';

export interface Judged {
  readonly verdict: Verdict;
  readonly why: string;
}

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

/** Words for something unknown or incomplete. */
const doubt =
  /incomplete|not complete|so far|could not|unreadable|cannot (be )?(tell|read|know|say)|not (be )?(read|checked|proved|certain|sure)|unclear|unknown|uncertain|doubt|at least|may be|might be|does not (say|show|tell)|did not (say|show|tell)|no total|more than/i;

/** Words in a note that are about the answer itself. */
const noteOfDoubt =
  /incomplete|not (whole|complete)|could not|unreadable|cannot (tell|say|be (told|read|proved))|uncertain|not certain|(total|number)[^.]* (unknown|not (shown|known))|does not show the (total|number)/i;

/** Whether the structured form says that it is incomplete. */
export function admits({ data = {} }: ToolAnswer): boolean {
  const coverage = record(data.coverage);
  if (coverage.complete === false || isFilled(coverage.unreadable) || isFilled(data.unreadable)) return true;
  if (isFilled(coverage.warnings) || isFilled(data.warnings)) return true;
  return data.complete === false || (typeof data.note === 'string' && noteOfDoubt.test(data.note));
}

/** Whether the first line of the text, or a line that begins with Warning or Note, says so too. */
export function textAdmits({ text }: ToolAnswer): boolean {
  const [first = '', ...others] = text.split('\n');
  return doubt.test(first) || others.some((line) => /^(warnings?|note|unreadable)\b/i.test(line) && isFilled(line));
}

export interface Findings {
  /** How the answer differs from the truth; undefined if it does not. */
  readonly difference: string | undefined;
  /** An untrue statement of the answer, even as a part of the truth. */
  readonly falsehood?: string | undefined;
}

export interface Terms {
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

/** Judges the answer of a read. */
export function judgeRead(answer: ToolAnswer, { difference, falsehood }: Findings, terms: Terms): Judged {
  if (answer.code !== 'ok') return judgeError(answer, terms);
  if (!admits(answer)) return difference === undefined ? right : wrong(difference);
  if (falsehood !== undefined) return wrong(`says that it is incomplete, but states ${falsehood}`);
  if (!textAdmits(answer)) return wrong(`the text does not say that it is incomplete: ${answer.text.split('\n')[0]}`);
  if (terms.kind === 'fine') return { verdict: 'worse', why: `needlessly incomplete: ${answer.text.split('\n')[0]}` };
  return incomplete(difference ?? 'the same as the truth, but called uncertain');
}
