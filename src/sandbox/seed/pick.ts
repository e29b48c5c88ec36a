import { folded } from '../../shared/similar-words.ts';
import type { Lessons } from '../state/lessons.ts';
import { chosenProducts, itemTitles, type OrderBook, type OrderItems, orderContents } from '../state/orders.ts';
import type { Progress, StudentRecord, StudentRegister } from '../state/students.ts';
import type { Catalogue, ProjectRecord } from './catalogue.ts';
import { createRandom, type Random } from './random.ts';
import { type Country, texts, type WrittenText } from './texts.ts';

/** The random sequence behind one student's name, address and email: so a name fits its country. */
export function homeOf(key: string, studentId: number): { country: Country; random: Random } {
  const random = createRandom(key, 'home', studentId);
  const share = random.next();
  // Squared: prefers the first countries of the list.
  const country = texts.countries[Math.floor(share * share * texts.countries.length)];
  return { country: country ?? random.pick(texts.countries), random };
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
    // Each # of the pattern becomes a digit.
    billing_zip: zip.replace(/#/g, () => String(random.integer(0, 9))),
    billing_company: random.chance(0.12) ? `${random.pick(companies)} ${city}` : null,
    billing_phone: random.chance(0.6) ? `${country.dialling}${random.integer(10, 99)}` : null,
  };
}

const companies = ['Studio', 'Atelier', 'Workshop', 'Consulting', 'Foundation'];

/** The content of one order. `cents` are hundredths of a dollar. */
export type Sale = ReturnType<typeof saleOf>;

function saleOf(catalogue: Catalogue, items: OrderItems) {
  return {
    cents: chosenProducts(catalogue, items).reduce((sum, { price }) => sum + Number(price.replace('.', '')), 0),
    title: itemTitles(catalogue, items),
    contents: orderContents(catalogue, items),
  };
}

/** Each item as often as its demand. Drafts and bundles that are only granted have none. */
function repeated<Item extends { readonly demand: number }>(items: readonly Item[]): Item[] {
  return items.flatMap((item) => Array.from({ length: item.demand }, () => item));
}

/** Picks the content of a buyer's order. Orders of the same single product share one object: there may be 200,000. */
export function createProductPicker(catalogue: Catalogue, random: Random): (buyer: number) => Sale {
  const sold = texts.courses.filter(({ id }) => {
    const course = catalogue.courses.get(id);
    return course?.is_published && course.sold_separately;
  });
  const courses = repeated(sold.map(({ id, demand }) => ({ id, demand, sale: saleOf(catalogue, { courses: [id] }) })));
  const bundles = repeated(
    texts.bundles.map(({ demand }, index) => ({ demand, sale: saleOf(catalogue, { bundles: [index + 1] }) })),
  );
  const downloads = catalogue.digitalProducts.all().filter((product) => product.is_published);
  const extras = downloads.map(({ id }) => saleOf(catalogue, { digital_products: [id] }));
  const bought = new Set<string>();

  function newCourse(buyer: number) {
    let course = random.pick(courses);
    // Few students buy a course twice: three other draws are tried first.
    for (let attempt = 0; attempt < 3 && bought.has(`${buyer} ${course.id}`); attempt += 1)
      course = random.pick(courses);
    bought.add(`${buyer} ${course.id}`);
    return course;
  }

  return (buyer) => {
    const share = random.next();
    if (share < 0.1) return random.pick(bundles).sale;
    if (share < 0.2) return random.pick(extras);
    const course = newCourse(buyer);
    if (share <= 0.94) return course.sale;
    return saleOf(catalogue, { courses: [...new Set([course.id, newCourse(buyer).id])] });
  };
}

/** The name of a person from a country, also in plain Latin letters. */
export function pickName(country: Country, random: Random) {
  const names = [spelled(random.pick(country.first)), spelled(random.pick(country.last))];
  return { name: names.map(({ display }) => display).join(' '), latin: names.map(({ latin }) => latin) };
}

const domains = ['example.com', 'example.com', 'example.org', 'example.net', 'mail.example.com'];

/** One in ten emails has capitals. The student id makes the email of a namesake unique. */
export function emailOf(latin: readonly string[], id: number, random: Random, students: StudentRegister): string {
  const domain = random.pick(domains);
  const plain = latin.join('.');
  const local = students.withEmail(`${plain}@${domain}`) === undefined ? plain : `${plain}${id}`;
  const email = `${local}@${domain}`;
  return random.chance(0.1) ? email.replace(/(^|[.@-])[a-z]/g, (match) => match.toUpperCase()) : email;
}

function spelled(entry: string): { display: string; latin: string } {
  const [display = '', latin = display] = entry.split('~');
  return { display, latin: folded(latin).replace(/[^a-z]/g, '') };
}

/** The language of a text depends on the location of its author. */
export type Writer = Pick<StudentRecord, 'location'>;

export function livesIn({ location }: Writer, country: string): boolean {
  return location?.endsWith(`, ${country}`) === true;
}

/** Picks a text that this author can have written about that course or project, preferably one written for it. */
function pickText<Text extends WrittenText>(all: readonly Text[], writer: Writer, about: number, random: Random): Text {
  const fitting = all.filter(
    (text) =>
      (text.about === undefined || text.about === about) &&
      (text.country === undefined || livesIn(writer, text.country)),
  );
  const specific = fitting.filter((text) => text.about !== undefined || text.country !== undefined);
  return random.pick(specific.length > 0 && random.chance(0.6) ? specific : fitting);
}

/** The share of contributions with a prompt injection. */
const injectionShare = 0.05;

export function answerText(student: StudentRecord, courseId: number, random: Random) {
  const { question, answers } = random.pick(texts.assignments);
  if (random.chance(injectionShare)) return { question, answer: random.pick(texts.answersForMachines) };
  return { question, answer: pickText(answers, student, courseId, random).text };
}

export function projectPostText(student: StudentRecord, project: ProjectRecord, random: Random) {
  const { title, text } = random.chance(injectionShare)
    ? random.pick(texts.projectPostsForMachines)
    : pickText(texts.projectPosts, student, project.id, random);
  return { title, content: text };
}

const recentlyJoined = 60;

/** Picks the author of an order or post at a time, often a student who has just joined. Times must not go back. */
export function createMemberPicker(students: readonly StudentRecord[], random: Random) {
  let joined = 0;
  return (time: number): StudentRecord | undefined => {
    while ((students[joined]?.created_at ?? Number.POSITIVE_INFINITY) <= time) joined += 1;
    const count = Math.max(joined, 1);
    const isRecent = random.chance(0.45);
    const share = random.next();
    return students[
      isRecent ? count - 1 - Math.floor(share ** 2 * Math.min(count, recentlyJoined)) : Math.floor(share * count)
    ];
  };
}

/** The input of every part of the seed. Times are milliseconds since 1970. */
export interface SeedContext {
  readonly key: string;
  readonly now: number;
  /** Turns a share from 0 to 1 into a time in the past two years. A larger share is later. */
  readonly calendar: (share: number) => number;
}

export interface SeedData extends SeedContext {
  readonly catalogue: Catalogue;
  readonly lessons: Lessons;
  readonly students: StudentRegister;
  readonly orders: OrderBook;
  readonly progress: Progress;
}
