import type { Api } from '../../api/api.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import type { FoundBuyer as Buyer } from '../../insights/sales/find-buyers.ts';
import { earliest, type HeldSince, type Learner } from '../../insights/students/progress.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { type BatchTerms, inBatches } from '../batch.ts';
import { type Completions, completionScans, keepingAnswers, type Refusals } from '../scan-store.ts';

interface CompletionQuestion {
  readonly course_id: number;
  readonly email: string;
}

export function completionKey({ course_id, email }: CompletionQuestion): string {
  return `${course_id} ${email}`;
}

/** Reads the progress of students, one request each, unless it is `known`. Undefined if the API refuses one: see `refusals`. */
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

/** An impossible percentage such as 0.54 shows that a 1 may mean 100%. Refused students do not count as impossible. */
export function dropFractions(known: Completions, refusals: Refusals): Completions {
  const isOdd = [...known].some(([key, percent]) => percent === undefined && !refusals.has(key));
  return isOdd ? new Map([...known].map(([key, percent]) => [key, percent === 1 ? undefined : percent])) : known;
}

interface CompletionTerms {
  key: string;
  isFurther: boolean;
  /** Since when each buyer has held the course, by `SoldOrder.buyer`. */
  held: ReadonlyMap<string, HeldSince>;
  maxRequests: number;
  /** Steps already reported: progress continues from there. */
  stepsBefore: number;
}

/** Reads the progress of as many buyers of a course as `maxRequests` allows; the next part reads the others. */
export async function readCourseCompletions(
  course_id: number,
  buyers: readonly Buyer[],
  { key, isFurther, held: seen, maxRequests, stepsBefore }: CompletionTerms,
  { api, stores, spent, progress }: ToolContext,
) {
  const cached = isFurther ? stores.of(completionScans).get(key) : undefined;
  const { known, refusals } = cached ?? { known: new Map(), refusals: new Map() };
  const held = new Map(cached?.held);
  for (const [buyer, own] of seen) held.set(buyer, earliest(held.get(buyer), own) ?? own);
  const questions = buyers.flatMap(({ email }) => (email === undefined ? [] : [{ course_id, email }]));
  const left = () => maxRequests - spent();
  const onProgress = (done: number, total: number) =>
    progress(stepsBefore + done, stepsBefore + total, `read the progress of ${done} of ${total} students`);
  // Cached after reading, so that a long reading does not use up the cache time.
  const keep = () => stores.of(completionScans).set(key, { known, refusals, held });
  const keeping = keepingAnswers(api, isFurther && cached === undefined);
  const terms = { api: keeping, left, progress: onProgress, refusals };
  const { stopped } = await readCompletions(questions, known, terms).finally(keep);

  const certain = dropFractions(known, refusals);
  const learners = buyers.flatMap(({ email, name, granted, orders }): Learner[] => {
    const key = email === undefined ? undefined : completionKey({ course_id, email });
    if (key !== undefined && !known.has(key)) return [];
    const own = held.get(orders[0]?.buyer ?? '');
    return [{ email, name, granted, held: own, percent: certain.get(key ?? ''), why: refusals.get(key ?? '') }];
  });
  return { learners, unread: buyers.length - learners.length, stopped };
}

export type CompletionReading = Awaited<ReturnType<typeof readCourseCompletions>>;
