import type { Api } from '../../api/api.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { type BatchTerms, inBatches } from '../batch.ts';

export interface CompletionQuestion {
  readonly course_id: number;
  readonly email: string;
}

/** Percent by `completionKey`; undefined if it could not be read. */
export type Completions = Map<string, number | undefined>;

/** Why the API refused a percentage, by `completionKey`. */
export type Refusals = Map<string, string>;

export function completionKey({ course_id, email }: CompletionQuestion): string {
  return `${course_id} ${email}`;
}

/**
 * Reads the progress of students, one request each, within the terms, and adds it to `known`; skips what is already known. If the
 * API refuses a student, the progress is undefined, with the reason in `refusals`.
 */
export async function readCompletions(
  questions: readonly CompletionQuestion[],
  known: Completions,
  { api, refusals, ...terms }: BatchTerms & { api: Api; refusals?: Refusals },
): Promise<{ stopped?: string }> {
  const open = questions.filter((question) => !known.has(completionKey(question)));
  const run = ({ course_id, email }: CompletionQuestion) =>
    api.call(getCourseCompletion, { course_id, user_email: email }, { priority: 'bulk' });
  const refused = (question: CompletionQuestion, why: string) => {
    known.set(completionKey(question), undefined);
    refusals?.set(completionKey(question), why);
  };
  const keep = (question: CompletionQuestion, record: { course_completion_percent?: number | undefined }) =>
    void known.set(completionKey(question), record.course_completion_percent);
  return await inBatches(open, { run, keep, refused }, terms);
}

/**
 * Drops percentages that may be fractions: if the API sent an impossible percentage such as 0.54, a 1 may mean 100%. Refused
 * students do not count as impossible.
 */
export function dropFractions(known: Completions, refusals: Refusals): Completions {
  const isOdd = [...known].some(([key, percent]) => percent === undefined && !refusals.has(key));
  return isOdd ? new Map([...known].map(([key, percent]) => [key, percent === 1 ? undefined : percent])) : known;
}
