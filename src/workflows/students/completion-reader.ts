import type { Buyer } from '../../insights/sales/buyers.ts';
import type { Learner } from '../../insights/students/progress.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { completionScans } from '../scan-store.ts';
import { type CompletionQuestion, completionKey, readCompletions, withoutShares } from './completion-batch.ts';

interface CompletionTerms {
  /** By which what has been read is kept for the next part. */
  key: string;
  /** The cost was told by the part before. */
  isFurther: boolean;
  maxRequests: number;
  /** Steps that were told before: progress rises from there. */
  stepsBefore: number;
}

export interface CompletionReading {
  readonly learners: readonly Learner[];
  /** Buyers who have not been asked for. */
  readonly unread: number;
  readonly stopped?: string | undefined;
}

/** Asks how far each buyer of a course has come. What costs more than was allowed is not begun before its cost was told. */
export async function readCourseCompletions(
  course_id: number,
  buyers: readonly Buyer[],
  { key, isFurther, maxRequests, stepsBefore }: CompletionTerms,
  { api, stores, spent, progress }: ToolContext,
): Promise<CompletionReading> {
  const kept = isFurther ? stores.of(completionScans).get(key) : undefined;
  const { known, refusals } = kept ?? { known: new Map(), refusals: new Map() };
  const questionOf = ({ email }: Buyer): CompletionQuestion[] => (email === undefined ? [] : [{ course_id, email }]);
  const questions = buyers.flatMap(questionOf);
  const left = () => maxRequests - spent();
  const open = questions.filter((question) => !known.has(completionKey(question))).length;
  const tell = (done: number, total: number) =>
    progress(stepsBefore + done, stepsBefore + total, `read the progress of ${done} of ${total} students`);
  // Kept from the end of the reading on: a long one must not use up the time.
  const keep = () => stores.of(completionScans).set(key, { known, refusals });
  const { stopped } =
    isFurther || open <= left()
      ? await readCompletions(questions, known, { api, left, progress: tell, refusals }).finally(keep)
      : {};

  const certain = withoutShares(known, refusals);
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
