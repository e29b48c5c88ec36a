import type { ToolAnswer } from '../../reliability/tool-answer.ts';

/**
 * right: equals the truth, and says so. told: differs or is incomplete, and says that. error: an error that says nothing untrue.
 * trusted: the API reported success of a write that it did not do, and nothing that it showed said otherwise.
 * worse: something harmless made an answer an error or incomplete. WRONG: differs from the truth without a word.
 */
export type Verdict = 'right' | 'told' | 'error' | 'trusted' | 'worse' | 'WRONG';

export interface Judged {
  readonly verdict: Verdict;
  readonly why: string;
}

export const wrong = (why: string): Judged => ({ verdict: 'WRONG', why: why.replaceAll(/\s+/g, ' ').slice(0, 200) });
export const right: Judged = { verdict: 'right', why: '' };
export const told = (why = ''): Judged => ({ verdict: 'told', why });

type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const record = (value: unknown): Json => (isRecord(value) ? value : {});
export const rowsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const isFilled = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 : isRecord(value) ? Object.keys(value).length > 0 : value !== undefined;

/** Words that say that something is not known or not whole. */
const doubt =
  /incomplete|not complete|so far|could not|unreadable|cannot (be )?(tell|read|know|say)|not (be )?(read|checked|proved|certain|sure)|unclear|unknown|uncertain|doubt|at least|may be|might be|does not (say|show|tell)|did not (say|show|tell)|no total|more than/i;

/** Notes say much; these words are about the answer itself. */
const noteOfDoubt =
  /incomplete|not (whole|complete)|could not|unreadable|cannot (tell|say|be (told|read|proved))|uncertain|not certain|(total|number)[^.]* (unknown|not (shown|known))/i;

/** Whether the structured form says that it is not whole. */
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
  /** How the answer differs from the truth; undefined where it does not. */
  readonly difference: string | undefined;
  /** What it states that is not so, even as a part of the truth. */
  readonly falsehood?: string | undefined;
}

export interface Terms {
  readonly kind: 'open' | 'departs' | 'fine';
  /** Text of an error that would be untrue. */
  readonly lies?: RegExp | undefined;
  /** The API's own words, which an error must repeat. */
  readonly words?: string | undefined;
}

export function judgeError({ text, code }: ToolAnswer, { kind, lies, words }: Terms): Judged {
  const first = text.split('\n')[0] ?? '';
  if (lies?.test(text)) return wrong(`an untrue reason: ${first}`);
  if (code === 'internal') return wrong(`a fault of ours: ${first}`);
  if (words !== undefined && !text.includes(words)) return wrong(`the API's words are dropped: ${first}`);
  return { verdict: kind === 'fine' ? 'worse' : 'error', why: first.slice(0, 160) };
}

/** Judges an answer that reads. */
export function judgeRead(answer: ToolAnswer, { difference, falsehood }: Findings, terms: Terms): Judged {
  if (answer.code !== 'ok') return judgeError(answer, terms);
  if (!admits(answer)) return difference === undefined ? right : wrong(difference);
  if (falsehood !== undefined) return wrong(`says that it is not whole, yet states ${falsehood}`);
  if (!textAdmits(answer)) return wrong(`the text does not say that it is not whole: ${answer.text.split('\n')[0]}`);
  if (terms.kind === 'fine') return { verdict: 'worse', why: `needlessly incomplete: ${answer.text.split('\n')[0]}` };
  return told(difference ?? 'the same as the truth, with a doubt');
}
