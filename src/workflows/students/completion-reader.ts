import type { Buyer } from '../../insights/sales/buyers.ts';
import type { Learner } from '../../insights/students/progress.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { completionScans } from '../scan-store.ts';
import { type CompletionQuestion, completionKey, dropFractions, readCompletions } from './completion-batch.ts';

interface CompletionTerms {
  /** The cache key for the next part. */
  key: string;
  /** The part before returned the cost. */
  isFurther: boolean;
  maxRequests: number;
  /** Steps already reported: progress continues from there. */
  stepsBefore: number;
}

export interface CompletionReading {
  readonly learners: readonly Learner[];
  /** Number of buyers whose progress was not read. */
  readonly unread: number;
  readonly stopped?: string | undefined;
}

/** Reads the progress of each buyer of a course. If it would exceed `maxRequests`, the first part reads nothing: it returns only the cost. */
export async function readCourseCompletions(
  course_id: number,
  buyers: readonly Buyer[],
  { key, isFurther, maxRequests, stepsBefore }: CompletionTerms,
  { api, stores, spent, progress }: ToolContext,
): Promise<CompletionReading> {
  const cached = isFurther ? stores.of(completionScans).get(key) : undefined;
  const { known, refusals } = cached ?? { known: new Map(), refusals: new Map() };
  const questionOf = ({ email }: Buyer): CompletionQuestion[] => (email === undefined ? [] : [{ course_id, email }]);
  const questions = buyers.flatMap(questionOf);
  const left = () => maxRequests - spent();
  const open = questions.filter((question) => !known.has(completionKey(question))).length;
  const onProgress = (done: number, total: number) =>
    progress(stepsBefore + done, stepsBefore + total, `read the progress of ${done} of ${total} students`);
  // Cached after reading, so that a long reading does not use up the cache time.
  const keep = () => stores.of(completionScans).set(key, { known, refusals });
  const { stopped } =
    isFurther || open <= left()
      ? await readCompletions(questions, known, { api, left, progress: onProgress, refusals }).finally(keep)
      : {};

  const certain = dropFractions(known, refusals);
  const learners = buyers.flatMap((buyer): Learner[] => {
    const [question] = questionOf(buyer);
    const isRead = question === undefined || known.has(completionKey(question));
    const percent = question === undefined ? undefined : certain.get(completionKey(question));
    const why = question === undefined ? undefined : refusals.get(completionKey(question));
    const { email, name, granted, orders } = buyer;
    return isRead ? [{ email, name, granted, since: orders.at(-1)?.at, percent, why }] : [];
  });
  return { learners, unread: buyers.length - learners.length, stopped };
}
