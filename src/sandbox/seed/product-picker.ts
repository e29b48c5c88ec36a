import type { Catalogue } from '../state/catalogue.ts';
import { itemTitles, type OrderItems, orderContents } from '../state/order-items.ts';
import { createRandom, type Random } from './random.ts';
import { type Country, texts } from './texts.ts';

/** Prefers the first countries of the list. */
function countryOf(random: Random): Country {
  const share = random.next();
  return texts.countries[Math.floor(share * share * texts.countries.length)] ?? random.pick(texts.countries);
}

/** The random sequence behind one student's name, address and email: so a name fits its country. */
export function homeOf(key: string, studentId: number): { country: Country; random: Random } {
  const random = createRandom(key, 'home', studentId);
  return { country: countryOf(random), random };
}

/** Billing of an order without a checkout. API document, "Order": the first five are strings, never null. */
export const noBilling = {
  billing_city: '',
  billing_state: '',
  billing_country: '',
  billing_street: '',
  billing_zip: '',
  billing_company: null,
  billing_phone: null,
};

/** The billing address of a student. Generated for each response: storing it would double the memory. */
export function billingOf(key: string, studentId: number) {
  const { country, random } = homeOf(key, studentId);
  const [city = '', state = '', zip = ''] = random.pick(country.places).split('/');
  return {
    billing_city: city,
    billing_state: state,
    billing_country: country.name,
    billing_street: `${random.pick(country.streets)} ${random.integer(1, 240)}`,
    billing_zip: digits(zip, random),
    billing_company: random.chance(0.12) ? `${random.pick(companies)} ${city}` : null,
    billing_phone: random.chance(0.6) ? `${country.dialling}${random.integer(10, 99)}` : null,
  };
}

const companies = ['Studio', 'Atelier', 'Workshop', 'Consulting', 'Foundation'];

function digits(pattern: string, random: Random): string {
  return pattern.replace(/#/g, () => String(random.integer(0, 9)));
}

/** The content of one order. `cents` are hundredths of a dollar. */
export interface Sale {
  readonly cents: number;
  readonly title: string;
  readonly contents: ReturnType<typeof orderContents>;
}

/** Picks the content of an order. Orders of the same single product share one object: there may be 200,000. */
export function createProductPicker(catalogue: Catalogue, random: Random) {
  const popular = popularCourses(catalogue);
  const single = new Map(popular.map((id) => [id, saleOf(catalogue, { courses: [id] })]));
  const bundles = popularBundles().map((id) => saleOf(catalogue, { bundles: [id] }));
  const extras = published(catalogue.digitalProducts.all()).map((id) => saleOf(catalogue, { digitalProducts: [id] }));
  const bought = createPurchases();

  function newCourse(buyer: number): number {
    let course = random.pick(popular);
    // Few students buy a course twice: three other draws are tried first.
    for (let attempt = 0; attempt < 3 && bought.has(buyer, course); attempt += 1) course = random.pick(popular);
    bought.add(buyer, course);
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

/** Ids of courses that are sold separately, each repeated by its demand. */
function popularCourses({ courses }: Catalogue): number[] {
  return texts.courses
    .filter(({ id }) => courses.get(id)?.is_published && courses.get(id)?.sold_separately)
    .flatMap(({ id, demand }) => Array.from({ length: demand }, () => id));
}

/** Ids of bundles, each repeated by its demand. Drafts and bundles that are only granted have none. */
function popularBundles(): number[] {
  return texts.bundles.flatMap(({ demand }, index) => Array.from({ length: demand }, () => index + 1));
}

function published(products: readonly { id: number; is_published: boolean }[]): number[] {
  return products.filter((product) => product.is_published).map(({ id }) => id);
}

function saleOf(catalogue: Catalogue, items: OrderItems): Sale {
  return {
    cents: centsOf(catalogue, items),
    title: itemTitles(catalogue, items),
    contents: orderContents(catalogue, items),
  };
}

function centsOf({ courses, bundles, digitalProducts }: Catalogue, items: OrderItems): number {
  const prices = [
    ...(items.courses ?? []).map((id) => courses.get(id)?.price),
    ...(items.bundles ?? []).map((id) => bundles.get(id)?.price),
    ...(items.digitalProducts ?? []).map((id) => digitalProducts.get(id)?.price),
  ];
  return prices.reduce((sum, price) => sum + Number((price ?? '0').replace('.', '')), 0);
}

/** The courses that each student bought: one bit per course, since course ids are small. */
function createPurchases() {
  const bits = new Map<number, number>();
  return {
    has: (student: number, course: number) => ((bits.get(student) ?? 0) & (1 << course)) !== 0,
    add: (student: number, course: number) => bits.set(student, (bits.get(student) ?? 0) | (1 << course)),
  };
}
