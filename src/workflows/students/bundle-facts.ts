import type { Api } from '../../api/api.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import { getBundle } from '../../contract/bundles.ts';
import { productRef } from '../../insights/sales/sold-order.ts';
import { productsBesideBundle } from '../../insights/students/order-losses.ts';
import { counted } from '../../mcp/output/text-format.ts';
import { AcademyError } from '../../shared/errors.ts';
import { readStudent, type StudentSource } from '../sales/read-orders.ts';
import { absentError, heldRefs, holdingsIn, isAbsent, progressFacts, studentLines } from './access-facts.ts';
import { lossLines, productNamed } from './loss-lines.ts';

// The facts that a person needs before they take a bundle away from a student, or delete the progress in it.

interface KnownBundle {
  title?: string | undefined;
  product_count?: number | undefined;
}

/** The title of a bundle and the number of products in it; neither if the API does not show the bundle. */
async function readBundle(api: Api, bundle_id: number): Promise<KnownBundle> {
  return await api.call(getBundle, { bundle_id }).catch((error: unknown) => {
    if (error instanceof AcademyError && error.code !== 'rate_limited') return {};
    throw error;
  });
}

/** What is known of the contents of a bundle: the API never lists them, and orders show some. */
function contentsLine(bundleId: number, shown: number, count: number | undefined): string {
  const source = `The API never lists what a bundle holds; the student's orders show ${counted(shown, 'product')} beside bundle ${bundleId}`;
  const off = 'and the API may take more off these and other orders, even products bought separately';
  if (count === undefined) return `${source}. It may hold more, ${off}.`;
  const said = `${source}, and product_count says that it holds ${count}`;
  if (shown < count) return `${said}: ${count - shown} of ${count} are not known, ${off}.`;
  if (shown === count) return `${said}: ${count} of ${count} are known, if these are the contents.`;
  return `${said}: some of them may have been bought separately, and may stay.`;
}

/** A plan shows one bundle: how to see several together. */
function otherBundlesLines(bundleId: number, known: StudentOrders): string[] {
  const others = holdingsIn(known).filter(({ kind, id }) => kind === 'bundle' && id !== bundleId);
  if (others.length === 0) return [];
  const named = others.map(({ id }) => id).join(', ');
  return [
    `They also hold bundle ${named}, each revoked by a call of its own: offboard_student without confirm shows the products and orders of all bundles in one plan.`,
  ];
}

/** Who the student is, and which orders lose the bundle or its known contents. */
export async function bundleLoss(source: StudentSource, email: string, bundleId: number): Promise<string[]> {
  const [known, { title, product_count }] = await Promise.all([
    readStudent(email, {}, source),
    readBundle(source.api, bundleId),
  ]);
  const { orders } = known;
  const contents = productsBesideBundle(orders, bundleId);
  const ref = productRef('bundle', bundleId);
  const refs = [ref, ...contents.map((one) => one.ref)];
  const bundle = { kind: 'bundle', id: bundleId, ref, title } as const;
  if (isAbsent(bundle, known)) throw absentError(email, bundle, known);
  const named = contents.map(productNamed).join(', ') || 'none';
  return [
    ...studentLines(email, known),
    ...lossLines(`bundle ${bundleId}, or what orders show of its contents`, orders, refs, heldRefs(known)),
    `Orders with the bundle list: ${named}.`,
    contentsLine(bundleId, contents.length, product_count),
    ...otherBundlesLines(bundleId, known),
  ];
}

/** The most courses of a bundle to read progress for: each is a request. */
export const maxCourses = 20;

/** The courses that orders show beside a bundle. */
export function coursesBesideBundle({ orders }: Pick<StudentOrders, 'orders'>, bundleId: number) {
  return productsBesideBundle(orders, bundleId).filter(({ kind }) => kind === 'course');
}

/** Who the student is, and their progress in each known course of the bundle. */
export async function bundleProgressFacts(source: StudentSource, email: string, bundleId: number): Promise<string[]> {
  const [known, { product_count: count }] = await Promise.all([
    readStudent(email, {}, source),
    readBundle(source.api, bundleId),
  ]);
  const courses = coursesBesideBundle(known, bundleId);
  const checked = courses.slice(0, maxCourses);
  const each = await Promise.all(checked.map(({ id, title }) => progressFacts(source.api, email, id, title)));
  const rest = courses.slice(maxCourses).map((course) => `Not read: the progress in ${productNamed(course)}.`);
  const shown = productsBesideBundle(known.orders, bundleId).length;
  const unknown =
    courses.length === 0
      ? ['No order shows which courses the bundle holds, so the progress that would be lost is not known.']
      : [];
  const said =
    count === undefined ? 'does not say how many products it holds' : `says that it holds ${counted(count, 'product')}`;
  const extent = `The API never lists what a bundle holds: orders show ${counted(shown, 'product')} beside it, and the bundle ${said}. Progress in a course that no order shows is deleted too.`;
  return [...studentLines(email, known), ...each.flat(), ...rest, ...unknown, extent];
}
