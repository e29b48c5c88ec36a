import type { Api } from '../../api/api.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import type { FoundBuyer as Buyer } from '../../insights/sales/find-buyers.ts';
import type { HeldSince, Learner } from '../../insights/students/progress.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { type BatchTerms, inBatches } from '../batch.ts';
import { type Completions, completionScans, keepingAnswers } from '../scan-store.ts';

interface CompletionQuestion {
  readonly course_id: number;
  readonly email: string;
}

export function completionKey({ course_id, email }: CompletionQuestion): string {
  return `${course_id} ${email}`;
}

/** Reads the progress of students, one request each, unless it is `known`. */
export async function readCompletions(
  questions: readonly CompletionQuestion[],
  known: Completions,
  { api, ...terms }: BatchTerms & { api: Api },
): Promise<{ stopped?: string }> {
  const open = questions.filter((question) => !known.has(completionKey(question)));
  const run = ({ course_id, email }: CompletionQuestion) =>
    api.call(getCourseCompletion, { course_id, user_email: email }, { priority: 'bulk' });
  const refused = (question: CompletionQuestion, why: string) => void known.set(completionKey(question), why);
  const keep = (question: CompletionQuestion, record: { course_completion_percent?: number | undefined }) =>
    void known.set(completionKey(question), record.course_completion_percent);
  return await inBatches(open, { run, keep, refused }, terms);
}

/** An impossible percentage such as 0.54 shows that a 1 may mean 100%. Refused students do not count as impossible. */
export function dropFractions(known: Completions): Completions {
  const isOdd = [...known.values()].includes(undefined);
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
  { key, isFurther, held, maxRequests, stepsBefore }: CompletionTerms,
  { api, stores, spent, progress }: ToolContext,
) {
  const cached = isFurther ? stores.of(completionScans).get(key) : undefined;
  const known: Completions = cached ?? new Map();
  const questions = buyers.flatMap(({ email }) => (email === undefined ? [] : [{ course_id, email }]));
  const left = () => maxRequests - spent();
  const onProgress = (done: number, total: number) =>
    progress(stepsBefore + done, stepsBefore + total, `read the progress of ${done} of ${total} students`);
  // Cached after reading, so that a long reading does not use up the cache time.
  const keep = () => stores.of(completionScans).set(key, known);
  const keeping = keepingAnswers(api, isFurther && cached === undefined);
  const terms = { api: keeping, left, progress: onProgress };
  const { stopped } = await readCompletions(questions, known, terms).finally(keep);

  const certain = dropFractions(known);
  const learners = buyers.flatMap(({ email, name, granted, orders }): Learner[] => {
    const key = email === undefined ? undefined : completionKey({ course_id, email });
    if (key !== undefined && !known.has(key)) return [];
    const own = held.get(orders[0]?.buyer ?? '');
    const read = certain.get(key ?? '');
    const found = typeof read === 'string' ? { percent: undefined, why: read } : { percent: read };
    return [{ email, name, granted, held: own, ...found }];
  });
  return { learners, unread: buyers.length - learners.length, stopped };
}

export type CompletionReading = Awaited<ReturnType<typeof readCourseCompletions>>;
