import type { FoundBuyer as Buyer } from '../../insights/sales/find-buyers.ts';
import { earliest, type HeldSince } from '../../insights/students/held-since.ts';
import type { Learner } from '../../insights/students/progress.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { completionScans, keepingAnswers } from '../scan-store.ts';
import { type CompletionQuestion, completionKey, dropFractions, readCompletions } from './completion-batch.ts';

interface CompletionTerms {
  /** The cache key for the next part. */
  key: string;
  /** A further part of an answer. */
  isFurther: boolean;
  /** Since when each buyer has held the course, by `SoldOrder.buyer`. */
  held: ReadonlyMap<string, HeldSince>;
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

/** Reads the progress of as many buyers of a course as `maxRequests` allows; the next part reads the others. */
export async function readCourseCompletions(
  course_id: number,
  buyers: readonly Buyer[],
  { key, isFurther, held: seen, maxRequests, stepsBefore }: CompletionTerms,
  { api, stores, spent, progress }: ToolContext,
): Promise<CompletionReading> {
  const cached = isFurther ? stores.of(completionScans).get(key) : undefined;
  const { known, refusals } = cached ?? { known: new Map(), refusals: new Map() };
  const held = new Map(cached?.held);
  for (const [buyer, own] of seen) held.set(buyer, earliest(held.get(buyer), own) ?? own);
  const questionOf = ({ email }: Buyer): CompletionQuestion[] => (email === undefined ? [] : [{ course_id, email }]);
  const questions = buyers.flatMap(questionOf);
  const left = () => maxRequests - spent();
  const onProgress = (done: number, total: number) =>
    progress(stepsBefore + done, stepsBefore + total, `read the progress of ${done} of ${total} students`);
  // Cached after reading, so that a long reading does not use up the cache time.
  const keep = () => stores.of(completionScans).set(key, { known, refusals, held });
  const keeping = keepingAnswers(api, isFurther && cached === undefined);
  const terms = { api: keeping, left, progress: onProgress, refusals };
  const { stopped } = await readCompletions(questions, known, terms).finally(keep);

  const certain = dropFractions(known, refusals);
  const learners = buyers.flatMap((buyer): Learner[] => {
    const [question] = questionOf(buyer);
    const isRead = question === undefined || known.has(completionKey(question));
    const percent = question === undefined ? undefined : certain.get(completionKey(question));
    const why = question === undefined ? undefined : refusals.get(completionKey(question));
    const { email, name, granted, orders } = buyer;
    const own = held.get(orders[0]?.buyer ?? '');
    return isRead ? [{ email, name, granted, held: own, percent, why }] : [];
  });
  return { learners, unread: buyers.length - learners.length, stopped };
}
