import { ordersOfBundlesAlone } from '../../insights/sales/sold-order.ts';
import { signsInDetails } from '../../insights/students/courses-in-details.ts';
import { type Holding, holdingsOf, recentGrantText } from '../../insights/students/holdings.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { readStudent, statusFilterProblem } from '../sales/read-orders.ts';
import type { Completions } from '../scan-store.ts';
import { readEndedAccess } from './access-days.ts';
import { dropFractions, readCompletions } from './completion-reader.ts';

async function readProgress(email: string, holdings: readonly Holding[], left: () => number, context: ToolContext) {
  const { api, spent, progress } = context;
  const questions = holdings.flatMap(({ kind, id }) => (kind === 'course' ? [{ course_id: id, email }] : []));
  const read: Completions = new Map();
  const before = spent();
  const onProgress = (done: number, total: number) =>
    progress(before + done, before + total, `read the progress in ${done} of ${total} courses`);
  const { stopped } = await readCompletions(questions, read, { api, left, progress: onProgress });
  return { completions: dropFractions(read), stopped };
}

/** Reads a student's details and orders, what they hold, their progress in each course and whether access to it ended. Throws `not_found`. */
export async function readProfile(email: string, maxRequests: number, context: ToolContext) {
  const recent = await context.recentGrants(email);
  const { spent, progress } = context;
  const left = () => maxRequests - spent();
  const onPage = (done: number, total: number) =>
    progress(done, total, `read ${done} of ${total} or more pages of orders`);
  const reading = readStudent(email, { ordersAlone: true, partly: true, left, progress: onPage }, context);
  const known = await reading.catch((error: unknown) => {
    if (!(error instanceof AcademyError) || error.code !== 'not_found' || recent.length === 0) throw error;
    const grants = recent.map((one) => `${one.ref} was ${recentGrantText(one)}`).join('; ');
    throw new AcademyError('not_found', `${error.message}; ${grants}`, { hint: error.hint, cause: error });
  });
  const { orders, shown } = known;
  const found = holdingsOf(known);
  // A missing order may be the first one of a product.
  const isWhole = !known.isCut && known.problem === undefined;
  const holdings = isWhole ? found : found.map((holding) => ({ ...holding, since: undefined }));
  const completions = await readProgress(email, holdings, left, context);
  const isAsked = left() > 0 && known.copied === undefined;
  const ignored = isAsked ? await statusFilterProblem(orders, context) : undefined;
  const isAffordable = left() > 0 && completions.stopped === undefined;
  const ended = isAffordable ? await readEndedAccess(known, holdings, maxRequests, context) : new Map();
  const held = holdings.map(({ ref }) => ref);
  /** Why it is not known whether they hold something, or hold it still. */
  const doubts = [
    ...recent.filter(({ ref }) => !held.includes(ref)).map((one) => `${one.ref} was ${recentGrantText(one)}`),
    ...holdings.flatMap(({ ref, doubt }) => (doubt === undefined ? [] : [`${ref}: ${doubt}`])),
    ...ordersOfBundlesAlone(shown?.isWhole ? [] : orders).map(
      ({ id }) => `order ${id} lists a bundle without its contents`,
    ),
  ];
  /** What speaks against access to all products, or to a course by its ref. */
  const against = new Map([
    ['', signsInDetails(known.student, undefined, context.now())],
    ...holdings.map((one) => [one.ref, signsInDetails(known.student, one, context.now())] as const),
  ]);
  return { ...known, email, problem: known.problem ?? ignored, holdings, ended, against, doubts, ...completions };
}

export type ProfileReading = Awaited<ReturnType<typeof readProfile>>;
