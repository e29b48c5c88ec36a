import type { Api } from '../../api/api.ts';
import { undefinedIfNotFound } from '../../api/undefined-if-not-found.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { type BatchTerms, inBatches } from '../batch.ts';

export interface CompletionQuestion {
  readonly course_id: number;
  readonly email: string;
}

/** Percent by question, as `completionKey` writes it; undefined where the API shows none. */
export type Completions = Map<string, number | undefined>;

export function completionKey({ course_id, email }: CompletionQuestion): string {
  return `${course_id} ${email}`;
}

/**
 * Reads how far students have come, one request each, as far as the terms allow, and adds it to `known`; what is known is
 * not asked again.
 */
export async function readCompletions(
  questions: readonly CompletionQuestion[],
  known: Completions,
  { api, ...terms }: BatchTerms & { api: Api },
): Promise<{ stopped?: string }> {
  const open = questions.filter((question) => !known.has(completionKey(question)));
  const ask = ({ course_id, email }: CompletionQuestion) =>
    undefinedIfNotFound(api.call(getCourseCompletion, { course_id, user_email: email }, { priority: 'bulk' }));
  return await inBatches(
    open,
    ask,
    (question, record) => void known.set(completionKey(question), record?.course_completion_percent),
    terms,
  );
}
