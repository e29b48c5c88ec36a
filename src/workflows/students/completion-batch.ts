import type { Api } from '../../api/api.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { type BatchTerms, inBatches } from '../batch.ts';

export interface CompletionQuestion {
  readonly course_id: number;
  readonly email: string;
}

/** Percent by question, as `completionKey` writes it; undefined where it could not be read. */
export type Completions = Map<string, number | undefined>;

/** Why a percentage could not be read, by question, where the API refused to tell. */
export type Refusals = Map<string, string>;

export function completionKey({ course_id, email }: CompletionQuestion): string {
  return `${course_id} ${email}`;
}

/**
 * Reads how far students have come, one request each, as far as the terms allow, and adds it to `known`; what is known is
 * not asked again. A student of whom the API does not tell is noted as one of unknown progress, with the reason in `refusals`.
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
 * What is known, without what may be shares of 1: where a percentage came in a form that is none, as 0.54 is, a 1 may be all of
 * it. What was refused says nothing of the others.
 */
export function withoutShares(known: Completions, refusals: Refusals): Completions {
  const isOdd = [...known].some(([key, percent]) => percent === undefined && !refusals.has(key));
  return isOdd ? new Map([...known].map(([key, percent]) => [key, percent === 1 ? undefined : percent])) : known;
}
