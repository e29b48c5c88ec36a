import type { Catalogue, ProjectRecord } from '../state/catalogue.ts';
import type { Lessons } from '../state/lessons.ts';
import { chosenProducts, itemTitles, type OrderBook, type OrderItems, orderContents } from '../state/orders.ts';
import type { Progress, StudentRecord, StudentRegister } from '../state/students.ts';
import { createRandom, type Random } from './random.ts';
import { type Country, texts, type WrittenText } from './texts.ts';

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
  // Each bundle, repeated by its demand. Drafts and bundles that are only granted have none.
  const bundles = texts.bundles.flatMap(({ demand }, index) =>
    Array.from({ length: demand }, () => saleOf(catalogue, { bundles: [index + 1] })),
  );
  const downloads = catalogue.digitalProducts.all().filter((product) => product.is_published);
  const extras = downloads.map(({ id }) => saleOf(catalogue, { digitalProducts: [id] }));
  const bought = new Set<string>();

  function newCourse(buyer: number): number {
    let course = random.pick(popular);
    // Few students buy a course twice: three other draws are tried first.
    for (let attempt = 0; attempt < 3 && bought.has(`${buyer} ${course}`); attempt += 1) course = random.pick(popular);
    bought.add(`${buyer} ${course}`);
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

function saleOf(catalogue: Catalogue, items: OrderItems): Sale {
  return {
    cents: chosenProducts(catalogue, items).reduce((sum, { price }) => sum + Number(price.replace('.', '')), 0),
    title: itemTitles(catalogue, items),
    contents: orderContents(catalogue, items),
  };
}

interface PersonName {
  readonly display: string;
  /** First and last name in plain Latin letters. */
  readonly latin: readonly [string, string];
}

export function pickName(country: Country, random: Random): PersonName {
  const first = spelled(random.pick(country.first));
  const last = spelled(random.pick(country.last));
  return { display: `${first.display} ${last.display}`, latin: [first.latin, last.latin] };
}

const domains = ['example.com', 'example.com', 'example.org', 'example.net', 'mail.example.com'];

/** One in ten emails has capitals. The student id makes the email of a namesake unique. */
export function emailOf(
  { latin }: PersonName,
  id: number,
  random: Random,
  isTaken: (email: string) => boolean,
): string {
  const domain = random.pick(domains);
  const plain = `${latin[0]}.${latin[1]}`;
  const local = isTaken(`${plain}@${domain}`) ? `${plain}${id}` : plain;
  return random.chance(0.1) ? `${capitalised(local)}@${capitalised(domain)}` : `${local}@${domain}`;
}

function capitalised(text: string): string {
  return text.replace(/(^|[.-])[a-z]/g, (match) => match.toUpperCase());
}

// Letters that Unicode does not decompose into a base letter and an accent.
const others: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', đ: 'd', ø: 'o', ı: 'i' };

function spelled(entry: string): { display: string; latin: string } {
  const [display = '', latin = display] = entry.split('~');
  const plain = latin.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return { display, latin: plain.replace(/[^a-z]/g, (letter) => others[letter] ?? '') };
}

/** The language of a text depends on the location of its author. */
export type Writer = Pick<StudentRecord, 'location'>;

export function livesIn({ location }: Writer, country: string): boolean {
  return location?.endsWith(`, ${country}`) === true;
}

/** Picks a text that this author can have written about that course or project, preferably one written for it. */
function pickText<Text extends WrittenText>(
  texts: readonly Text[],
  writer: Writer,
  about: number,
  random: Random,
): Text {
  const fitting = texts.filter(
    (text) =>
      (text.about === undefined || text.about === about) &&
      (text.country === undefined || livesIn(writer, text.country)),
  );
  const specific = fitting.filter((text) => text.about !== undefined || text.country !== undefined);
  return random.pick(specific.length > 0 && random.chance(0.6) ? specific : fitting);
}

/** The share of contributions with a prompt injection. */
const injectionShare = 0.05;

/** A question, and this student's answer to it in a lesson of that course. */
export function answerText(student: StudentRecord, courseId: number, random: Random) {
  const { question, answers } = random.pick(texts.assignments);
  const isInjection = random.chance(injectionShare);
  const answer = isInjection
    ? random.pick(texts.answersForMachines)
    : pickText(answers, student, courseId, random).text;
  return { question, answer };
}

export function projectPostText(student: StudentRecord, project: ProjectRecord, random: Random) {
  const isInjection = random.chance(injectionShare);
  const { title, text } = isInjection
    ? random.pick(texts.projectPostsForMachines)
    : pickText(texts.projectPosts, student, project.id, random);
  return { title, content: text };
}

const recentlyJoined = 60;

/** Picks the author of an order or post at a time, often a student who has just joined. Times must not go back. */
export function createMemberPicker(students: readonly StudentRecord[], random: Random) {
  let joined = 0;
  return {
    at(time: number): StudentRecord | undefined {
      while ((students[joined]?.created_at ?? Number.POSITIVE_INFINITY) <= time) joined += 1;
      return students[indexOf(Math.max(joined, 1), random)];
    },
  };
}

function indexOf(joined: number, random: Random): number {
  if (random.chance(0.45)) return joined - 1 - Math.floor(random.next() ** 2 * Math.min(joined, recentlyJoined));
  return Math.floor(random.next() * joined);
}

/** The input of every part of the seed. Times are milliseconds since 1970. */
export interface SeedContext {
  readonly key: string;
  readonly now: number;
  /** Turns a share from 0 to 1 into a time in the past two years. A larger share is later. */
  readonly calendar: (share: number) => number;
}

/** The data that the later parts build on. */
export interface SeedData extends SeedContext {
  readonly catalogue: Catalogue;
  readonly lessons: Lessons;
  readonly students: StudentRegister;
  readonly orders: OrderBook;
  readonly progress: Progress;
}
