import * as z from 'zod';
import type { Api } from '../../src/api/api.ts';
import { type OrderRecord, readStudentOrders, type StudentOrders } from '../../src/api/student-orders.ts';
import { undefinedIfNotFound } from '../../src/api/undefined-if-not-found.ts';
import { getCourseCompletion } from '../../src/contract/courses.ts';
import { listOrders } from '../../src/contract/orders.ts';
import { getProduct, productTypes } from '../../src/contract/products.ts';
import { studentEmail } from '../../src/contract/schemas/shared-arguments.ts';
import type { Product } from '../../src/insights/sales/product-match.ts';
import { isKnownStatus, listsProduct, type SoldOrder, soldOrder } from '../../src/insights/sales/sold-order.ts';
import { coursesShown } from '../../src/insights/students/courses-in-details.ts';
import { type AccessFacts, type Diagnosis, diagnose } from '../../src/insights/students/diagnosis.ts';
import { orderInDoubt } from '../../src/insights/students/revocation-evidence.ts';
import { countUnreadable, mergeUnreadable, type Unreadable } from '../../src/insights/unreadable.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { createParts, type Parts } from '../../src/workflows/answer-parts.ts';
import { findProduct } from '../../src/workflows/find-product.ts';
import { statusFilterSeen } from '../../src/workflows/scan-store.ts';
import { statusFilterProblem } from '../../src/workflows/students/status-filter.ts';
import { diagnosisOutput, presentDiagnosis } from './diagnose-access-result.ts';
import * as given from './shared-arguments.ts';

/** Whether it is published, and for how long it is given; nothing where the API shows no such product. */
async function attributesOf(api: Api, { type, id }: Product, parts: Parts) {
  const known = productTypes.find((name) => name === type);
  if (known === undefined) return {};
  const reading = undefinedIfNotFound(api.call(getProduct, { product_type: known, id_or_slug: String(id) }));
  return (await parts.read('whether the product is published', reading))?.attributes ?? {};
}

/** What progress is left: undefined where it was not asked for, or where the API shows no such student. */
interface Progress {
  readonly percent?: number | undefined;
  readonly isUnreadable: boolean;
}

/** Progress that is left shows that a course was held once. Only worth a request where no order lists it. */
async function progressLeft(
  api: Api,
  email: string,
  { kind, id, ref }: Product,
  { known, parts }: { known: StudentOrders | undefined; parts: Parts },
): Promise<Progress> {
  const isListed = known?.orders.map(soldOrder).some(({ products }) => products.some((product) => product.ref === ref));
  if (known === undefined || kind !== 'course' || isListed) return { isUnreadable: false };
  const reading = api.call(getCourseCompletion, { course_id: id, user_email: email });
  const percent = (await parts.read('the progress in the course', reading))?.course_completion_percent;
  return { percent, isUnreadable: percent === undefined };
}

function ordersFor(orders: readonly OrderRecord[]) {
  const sold = orders.map(soldOrder);
  return { orders: sold, descriptions: new Map(sold.map(({ id }, index) => [id, orders[index]?.description ?? ''])) };
}

/** Undefined where the details show no list that can be read whole: then only what it names is known. */
function courseIdsOf({ student }: StudentOrders, { id }: Product): number[] | undefined {
  const shown = coursesShown(student);
  const ids = shown?.courses.map((course) => course.id);
  return shown?.isWhole || ids?.includes(id) ? ids : undefined;
}

const weekMs = 7 * 86_400_000;

/**
 * Orders of about that time: a bundle that was sold then need not be sold any more. Of a year, since in a quiet academy a
 * page goes far back; in a busy one the newest come first, and it does not.
 */
function timeAround({ at }: SoldOrder) {
  if (at === undefined) return {};
  const time = (ms: number) => new Date(ms).toISOString();
  return { created_after: time(at - 48 * weekMs), created_before: time(at + 4 * weekMs) };
}

/** What of the orders could not be read and bears on whether the product is held. */
function doubtsIn({ orders, product }: AccessFacts, { holds }: Diagnosis): Unreadable {
  if (holds) return {};
  return countUnreadable(
    orders.flatMap((order) => [
      ...(listsProduct(order, product) === undefined ? (['products'] as const) : []),
      ...(isKnownStatus(order) ? [] : (['statuses'] as const)),
    ]),
  );
}

/** Where the orders of the student leave a doubt, a page of orders of anybody may show what a bundle holds. */
async function diagnosisOf(
  api: Api,
  facts: AccessFacts,
  { told, parts }: { told: (what: string) => void; parts: Parts },
): Promise<Diagnosis> {
  const diagnosis = diagnose(facts);
  const doubted = diagnosis.reason === 'unclear' ? orderInDoubt(facts) : undefined;
  if (doubted === undefined) return diagnosis;
  const reading = api.call(listOrders, { ...timeAround(doubted), status: 'all', page: 1, per_page: 100 });
  const seen = await parts.read('what bundles hold', reading);
  told('looked what bundles hold');
  return seen === undefined ? diagnosis : diagnose({ ...facts, others: seen.items.map(soldOrder) });
}

export const diagnoseAccess = defineTool({
  name: 'diagnose_access',
  toolset: 'insights',
  title: 'Diagnose access to a product',
  description:
    'Shows whether a student holds a product, through which order or bundle and since when; if not, why (never ordered, order pending or failed, taken off an order, unclear, not published, not enrolled, days over) and the call that fixes it. For all that a student holds use student_profile.',
  cost: { requests: [4, 7], when: 'usually' },
  example: { email: 'freya.hargreaves@example.net', product: 'Write Clearly at Work' },
  effect: 'read',
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({ email: studentEmail, product: given.product, product_type: given.productType }),
  output: diagnosisOutput,
  run: async ({ email, ...question }, context) => {
    const { api, stores, now, spent, progress } = context;
    // How many requests there will be depends on what they show.
    const told = (what: string) => progress(spent(), undefined, what);
    const parts = createParts();
    const product = await findProduct(api, question);
    told('found the product');
    const [known, attributes] = await Promise.all([
      undefinedIfNotFound(
        readStudentOrders(api, email, {
          ordersAlone: true,
          partly: true,
          progress: () => told('read orders of the student'),
        }),
      ),
      attributesOf(api, product, parts),
    ]);
    const progressed = await progressLeft(api, email, product, { known, parts });
    const facts = {
      product,
      student: known && { courseIds: courseIdsOf(known, product) },
      ...ordersFor(known?.orders ?? []),
      others: [],
      isPublished: attributes.is_published,
      daysOfAccess: attributes.days_of_access ?? undefined,
      completion: progressed.percent,
      now: now(),
      missing: known?.problem,
      unread: known?.detailsProblem,
    };
    const first = await diagnosisOf(api, facts, { told, parts });
    // An order that is pending, and that the API does not show, would be another reason.
    const missing =
      known !== undefined && !first.holds && facts.missing === undefined
        ? await statusFilterProblem(api, known.orders, stores.of(statusFilterSeen))
        : undefined;
    const diagnosis = missing === undefined ? first : diagnose({ ...facts, missing });
    const percent = progressed.isUnreadable ? { percentages: 1 } : {};
    const unreadable = mergeUnreadable(percent, doubtsIn(facts, diagnosis));
    return presentDiagnosis(diagnosis, { product, email, known, context, refused: parts.refused(), unreadable });
  },
});
