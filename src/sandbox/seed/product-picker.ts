import type { Catalogue } from '../state/catalogue.ts';
import { itemTitles, type OrderItems, orderContents } from '../state/order-items.ts';
import { courseTexts } from './catalogue.ts';
import type { Random } from './random.ts';
import { bundleTexts } from './texts/bundles.ts';

/** What one order is about. `cents` are hundredths of a dollar. */
export interface Sale {
  readonly cents: number;
  readonly title: string;
  readonly contents: ReturnType<typeof orderContents>;
}

/** Picks what somebody buys; the same single products are the same objects, which 200,000 orders share. */
export function createProductPicker(catalogue: Catalogue, random: Random) {
  const popular = popularCourses(catalogue);
  const single = new Map(popular.map((id) => [id, saleOf(catalogue, { courses: [id] })]));
  const bundles = popularBundles().map((id) => saleOf(catalogue, { bundles: [id] }));
  const extras = published(catalogue.digitalProducts.all()).map((id) => saleOf(catalogue, { digitalProducts: [id] }));
  const held = createHeld();

  function newCourse(buyer: number): number {
    let course = random.pick(popular);
    // Few buy what they have; after three tries somebody renews.
    for (let attempt = 0; attempt < 3 && held.has(buyer, course); attempt += 1) course = random.pick(popular);
    held.add(buyer, course);
    return course;
  }

  return {
    pick(buyer: number): Sale {
      const share = random.next();
      if (share < 0.1) return random.pick(bundles);
      if (share < 0.2) return random.pick(extras);
      const course = newCourse(buyer);
      if (share > 0.94) return saleOf(catalogue, { courses: [...new Set([course, newCourse(buyer)])] });
      return single.get(course) ?? saleOf(catalogue, { courses: [course] });
    },
  };
}

/** Ids of courses that are sold alone, those in demand several times over. */
function popularCourses({ courses }: Catalogue): number[] {
  return courseTexts
    .filter(({ id }) => courses.get(id)?.is_published && courses.get(id)?.sold_separately)
    .flatMap(({ id, demand }) => Array.from({ length: demand }, () => id));
}

/** Ids of bundles, likewise. Drafts and those that are only given away have no demand. */
function popularBundles(): number[] {
  return bundleTexts.flatMap(({ demand }, index) => Array.from({ length: demand }, () => index + 1));
}

function published(products: readonly { id: number; is_published: boolean }[]): number[] {
  return products.filter((product) => product.is_published).map(({ id }) => id);
}

function saleOf(catalogue: Catalogue, bought: OrderItems): Sale {
  return {
    cents: centsOf(catalogue, bought),
    title: itemTitles(catalogue, bought),
    contents: orderContents(catalogue, bought),
  };
}

function centsOf({ courses, bundles, digitalProducts }: Catalogue, bought: OrderItems): number {
  const prices = [
    ...(bought.courses ?? []).map((id) => courses.get(id)?.price),
    ...(bought.bundles ?? []).map((id) => bundles.get(id)?.price),
    ...(bought.digitalProducts ?? []).map((id) => digitalProducts.get(id)?.price),
  ];
  return prices.reduce((sum, price) => sum + Number((price ?? '0').replace('.', '')), 0);
}

/** Which student has bought which course: a bit for each course, as course ids are small. */
function createHeld() {
  const bits = new Map<number, number>();
  return {
    has: (student: number, course: number) => ((bits.get(student) ?? 0) & (1 << course)) !== 0,
    add: (student: number, course: number) => bits.set(student, (bits.get(student) ?? 0) | (1 << course)),
  };
}
