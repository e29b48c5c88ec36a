import type { Api } from '../../api/api.ts';
import { recordFailureOf, undefinedIfNotFound } from '../../api/partial-failure.ts';
import type { StudentOrders, StudentRecord } from '../../api/student-orders.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { listOrders } from '../../contract/orders.ts';
import { getProduct, productTypes } from '../../contract/products.ts';
import type { Product } from '../../insights/sales/products-in-order.ts';
import { holds, ordersWith, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { signsAgainst, signsInDetails } from '../../insights/students/courses-in-details.ts';
import { type AccessFacts, type Diagnosis, diagnose, unreadableAccess } from '../../insights/students/diagnosis.ts';
import { accessEnd, lastTime } from '../../insights/students/holdings.ts';
import { periodAroundOrder, unclearOrder } from '../../insights/students/revocation-evidence.ts';
import { mergeUnreadable } from '../../insights/unreadable.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import type { Json } from '../../shared/json.ts';
import { findProduct, type ProductQuestion } from '../find-product.ts';
import { readStudent, statusFilterProblem } from '../sales/read-orders.ts';
import { readAccessDays } from './access-days.ts';

/** Reads a part of the answer; undefined if the API refuses it. Throws errors that concern every part, such as a refused key. */
const partReader =
  (refused: string[]) =>
  async <T>(name: string, reading: Promise<T>) =>
    await reading.catch((error: unknown) => {
      const why = recordFailureOf(error, true);
      if (why === undefined) throw error;
      refused.push(`${name} (${why})`);
      return undefined;
    });

interface DiagnosisTerms {
  readonly readPart: ReturnType<typeof partReader>;
  readonly onProgress: (message: string) => void;
}

/** Whether the product is published, and how many days access lasts. Empty if the API shows no such product. */
async function readAttributes(api: Api, { type, id }: Product, { readPart }: DiagnosisTerms) {
  const known = productTypes.find((name) => name === type);
  if (known === undefined) return {};
  const reading = undefinedIfNotFound(api.call(getProduct, { product_type: known, id_or_slug: String(id) }));
  return (await readPart('whether the product is published', reading))?.attributes ?? {};
}

/** Remaining progress shows that the student once held the course. Costs a request, so it is read only if no order lists it. */
async function readProgress(
  api: Api,
  email: string,
  { kind, id, ref }: Product,
  known: StudentOrders | undefined,
  { readPart }: DiagnosisTerms,
) {
  const isListed = known?.orders.some((order) => holds(order, ref));
  if (known === undefined || kind !== 'course' || isListed) return { percent: undefined, isUnreadable: false };
  const reading = api.call(getCourseCompletion, { course_id: id, user_email: email });
  const percent = (await readPart('the progress in the course', reading))?.course_completion_percent;
  return { percent, isUnreadable: percent === undefined };
}

/** Reads one page of all orders if the student's own leave a doubt: it may show what a bundle holds. */
async function diagnoseWithBundles(
  api: Api,
  facts: AccessFacts,
  { readPart, onProgress }: DiagnosisTerms,
): Promise<Diagnosis> {
  const diagnosis = diagnose(facts);
  const doubted = diagnosis.reason === 'unclear' ? unclearOrder(facts) : undefined;
  if (doubted === undefined) return diagnosis;
  const reading = api.call(listOrders, { ...periodAroundOrder(doubted), status: 'all', page: 1, per_page: 100 });
  const page = await readPart('what bundles hold', reading);
  onProgress('read what bundles hold');
  return page === undefined ? diagnosis : diagnose({ ...facts, others: page.items.map(soldOrder) });
}

/** Why unpaid orders may be missing from the answer. A pending order that the API hides would be another reason. */
async function hiddenOrdersProblem(
  known: StudentOrders | undefined,
  { holds: isHeld }: Diagnosis,
  context: ToolContext,
): Promise<string | undefined> {
  if (known === undefined || isHeld || known.copied !== undefined || known.problem !== undefined) return undefined;
  return await statusFilterProblem(known.orders, context);
}

/** What speaks against access: in the student's record, in their entry for the course, and in the product. */
function againstIn(student: StudentRecord, product: Product, attributes: Json, now: Date): string[] {
  const { is_published: _published, ...others } = attributes;
  const inDetails = [undefined, product].flatMap((one) => signsInDetails(student, one, now));
  return [...inDetails, ...signsAgainst(others, now)];
}

/** Where every order that lists it is of a bundle, the days of the bundle may be over. One request. */
async function bundleDaysOver(
  { orders, product, now }: AccessFacts,
  { api, stores, spent }: ToolContext,
): Promise<string[]> {
  const through = ordersWith(orders, product.ref);
  const bundlesOf = (order?: SoldOrder) => (order?.products ?? []).filter(({ kind }) => kind === 'bundle');
  const [bundle] = bundlesOf(through.at(-1));
  if (product.kind === 'bundle' || bundle === undefined || through.some((order) => bundlesOf(order).length === 0))
    return [];
  const { days } = await readAccessDays([bundle], spent() + 1, { api, stores, spent });
  const end = accessEnd(lastTime(through), days.get(bundle.ref), now);
  return end === undefined ? [] : [`${bundle.ref} lasts ${days.get(bundle.ref)} days, which ended on ${end}`];
}

async function readFacts(email: string, product: Product, context: ToolContext, terms: DiagnosisTerms) {
  const { api, now } = context;
  const progress = () => terms.onProgress('read orders of the student');
  // Why an order does not give it: its description and its changes, which only the API shows.
  const suffices = (orders: readonly SoldOrder[]) => ordersWith(orders, product.ref).length > 0;
  const [known, attributes] = await Promise.all([
    undefinedIfNotFound(readStudent(email, { ordersAlone: true, partly: true, progress, suffices }, context)),
    readAttributes(api, product, terms),
  ]);
  const { percent, isUnreadable } = await readProgress(api, email, product, known, terms);
  const facts: AccessFacts = {
    product,
    student: known,
    orders: known?.orders ?? [],
    descriptions: known?.descriptions ?? new Map(),
    others: [],
    isPublished: attributes.is_published,
    daysOfAccess: attributes.days_of_access ?? undefined,
    completion: percent,
    now: now(),
    against: againstIn(known?.student ?? {}, product, attributes, now()),
    recent: await context.recentGrants(email),
    missing: known?.problem,
    unread: known?.detailsProblem,
  };
  return { facts, known, unreadable: isUnreadable ? { percentages: 1 } : {} };
}

/** Finds the product, reads all that shows whether the student holds it, and diagnoses. Usually four to seven requests. */
export async function readDiagnosis(email: string, question: ProductQuestion, context: ToolContext) {
  const { api, spent, progress } = context;
  // The total is unknown: each answer decides whether another request is needed.
  const onProgress = (message: string) => progress(spent(), undefined, message);
  /** "the progress (forbidden: …)", one for each part that the API refused. */
  const refused: string[] = [];
  const terms = { readPart: partReader(refused), onProgress };
  const product = await findProduct(api, question);
  onProgress('found the product');
  const { facts, known, unreadable } = await readFacts(email, product, context, terms);
  const first = await diagnoseWithBundles(api, facts, terms);
  const missing = await hiddenOrdersProblem(known, first, context);
  const over = first.reason === 'holds' ? await bundleDaysOver(facts, context) : [];
  const changed = missing !== undefined || over.length > 0;
  const more = { ...facts, against: [...facts.against, ...over], missing: missing ?? facts.missing };
  const diagnosis = changed ? diagnose(more) : first;
  return {
    diagnosis,
    product,
    /** Undefined: there is no such student. */
    known,
    refused,
    unreadable: mergeUnreadable(unreadable, unreadableAccess(facts, diagnosis)),
  };
}

export type DiagnosisReading = Awaited<ReturnType<typeof readDiagnosis>>;
