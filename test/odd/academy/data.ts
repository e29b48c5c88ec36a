import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import {
  type Channel,
  type Json,
  type Kind,
  type Lesson,
  type Module,
  must,
  type Order,
  type Post,
  type Product,
  type State,
  type Status,
  type Student,
} from './state.ts';

function product(kind: Kind, id: number, title: string, price: string, more: Partial<Product> = {}): Product {
  const slug = title.toLowerCase().replaceAll(' ', '-');
  const attributes: Json & { title: string; is_published: boolean } = {
    title,
    description: `About ${title}`,
    is_published: id !== 17,
    price,
    hidden: false,
    launch_date: null,
    days_of_access: null,
    join_button_text: 'Join',
  };
  return { kind, id, slug, isChallenge: false, courses: [], digitals: [], ...more, attributes };
}

const challengeId = 18;

function makeProducts(): Product[] {
  return [
    product('course', 11, 'Watercolour Basics', '49.90'),
    product('course', 12, 'Sourdough at Home', '39.00'),
    product('course', 13, 'Street Photography', '89.00'),
    product('course', 14, 'Calm Piano', '120.00'),
    product('course', 15, 'Garden Design', '59.50'),
    product('course', 16, 'Bookbinding', '25.00'),
    product('course', 17, 'Quiet Draft', '10.00'),
    product('course', challengeId, 'Thirty Day Sketch', '19.00', { isChallenge: true }),
    product('bundle', 31, 'Kitchen Bundle', '99.00', { courses: [12, 15], digitals: [51] }),
    product('bundle', 32, 'Studio Bundle', '149.00', { courses: [11, 13] }),
    product('bundle', 33, 'Everything Bundle', '1299.00', { courses: [11, 12, 13, 14, 15, 16], digitals: [52, 53] }),
    product('digital_product', 51, 'Recipe Cards', '9.90'),
    product('digital_product', 52, 'Brush Presets', '14.00'),
    product('digital_product', 53, 'Chord Sheets', '7.50'),
  ];
}

const hour = 3_600_000;
const count = 420;
/** Students below this number have only the orders that are listed here. */
const firstBuyer = 10;
const lastBuyer = 94;

type Bought = Pick<Order, 'courses' | 'bundles' | 'digitals'>;
type Draft = Partial<Order> & { student: number };

const nothing: Bought = { courses: [], bundles: [], digitals: [] };

/** An order of a bundle also lists the contents of the bundle. */
function bundle(products: readonly Product[], id: number): Bought {
  const { courses, digitals } = must(
    products.find((one) => one.kind === 'bundle' && one.id === id),
    `bundle ${id}`,
  );
  return { courses: [...courses], bundles: [id], digitals: [...digitals] };
}

/** Each of them shows one way to have access to a product, or not to have it. */
export const persons = {
  buyer: 1,
  bundleBuyer: 2,
  granted: 3,
  walletBuyer: 4,
  pending: 5,
  capitals: 6,
  failed: 7,
  bundleGranted: 8,
  stranger: 100,
} as const;

function written(products: readonly Product[]): Draft[] {
  return [
    { student: persons.buyer, ...nothing, courses: [11], amount: '49.90' },
    { student: persons.bundleBuyer, ...bundle(products, 31), amount: '99.00' },
    { student: persons.granted, ...nothing, courses: [11], amount: '0.00' },
    { student: persons.walletBuyer, ...nothing, courses: [11], amount: '49.90', status: 'wallet_executed' },
    { student: persons.pending, ...nothing, courses: [11], amount: '49.90', status: 'pending' },
    { student: persons.capitals, ...nothing, courses: [11], amount: '49.90', email: 'mira.capital@example.com' },
    { student: persons.failed, ...nothing, courses: [11], amount: '49.90', status: 'failed' },
    { student: persons.bundleGranted, ...bundle(products, 32), amount: '0.00' },
  ];
}

function drawn(products: readonly Product[], random: Random): Draft {
  const student = random.integer(firstBuyer, lastBuyer);
  const status: Status = random.pick(['paid', 'paid', 'paid', 'paid', 'paid', 'wallet_executed', 'pending', 'failed']);
  const isGranted = status === 'paid' && random.chance(0.14);
  const product = random.pick(products.filter(({ id }) => id !== 17));
  const { kind, id, attributes } = product;
  const second = random.chance(0.15) && kind === 'course' && id !== 14 ? [14] : [];
  const alone = { course: 'courses', bundle: 'bundles', digital_product: 'digitals' } as const;
  const bought = kind === 'bundle' ? bundle(products, id) : { ...nothing, [alone[kind]]: [id, ...second] };
  return { student, status, ...bought, amount: isGranted ? '0.00' : String(attributes.price) };
}

/** The newest 60 are from the last eight days; no two times are equal, and none is at midnight. */
function ageOf(index: number): number {
  const near = Math.min(index, 60) * 3.17 * hour + 0.4 * hour;
  return near + Math.max(0, index - 60) * 46.7 * hour;
}

function makeOrders(products: readonly Product[], students: readonly Student[], now: number): Order[] {
  const random = createRandom(7);
  const fixed = written(products);
  return Array.from({ length: count }, (_, index): Order => {
    const draft = fixed[(index - 3) / 6] ?? drawn(products, random);
    const { email } = must(
      students.find(({ id }) => id === draft.student),
      `student ${draft.student}`,
    );
    return {
      id: `ord_${(index * 7919 + 100_003).toString(36)}`,
      number: 5_000 - index,
      at: Math.floor((now - ageOf(index)) / 1000) * 1000,
      amount: '0.00',
      currency: random.pick(['USD', 'USD', 'EUR', 'GBP']),
      status: 'paid',
      email,
      country: random.pick(['US', 'DE', 'PT']),
      ...nothing,
      ...draft,
    };
  });
}

const day = 86_400_000;
const studentCount = 110;
const first = ['Ana', 'Ben', 'Cora', 'Dan', 'Eva', 'Finn', 'Gita', 'Hugo', 'Iris', 'Jon'];
const last = ['Abel', 'Brandt', 'Costa', 'Dahl', 'Evers', 'Faro', 'Gruber', 'Hahn', 'Ibsen', 'Jung', 'Klee'];

function makeStudent(id: number, now: number): Student {
  const name = `${first[id % 10]} ${last[id % 11]}`;
  const email =
    id === persons.capitals ? 'Mira.Capital@Example.com' : `${name.toLowerCase().replace(' ', '.')}.${id}@example.com`;
  const at = Math.floor((now - (studentCount + 5 - id) * 7 * day) / 1000) * 1000;
  return { id, name, email, at, paying: id <= lastBuyer, percents: new Map(), roles: new Set(id === 1 ? [2] : []) };
}

function addProgress(students: readonly Student[], orders: readonly Order[]): void {
  const random = createRandom(11);
  const byId = new Map(students.map((student) => [student.id, student]));
  for (const { student, courses, status } of [...orders].reverse()) {
    if (status !== 'paid' && status !== 'wallet_executed') continue;
    for (const course of courses)
      byId.get(student)?.percents.set(course, random.pick([0, 0, 8, 23, 41, 54, 66, 87, 100, 100]));
  }
  for (const student of students)
    if (student.id % 13 === 1) for (const id of student.percents.keys()) student.percents.set(id, 100);
}

/** Ids do not follow the order of the lessons. */
function makeLessons(): { modules: Module[]; lessons: Lesson[] } {
  const sizes: [course: number, module: number | null, lessons: number][] = [
    [11, 201, 4],
    [11, 202, 3],
    [11, 203, 2],
    [11, null, 2],
    [12, 204, 3],
    [12, 205, 2],
  ];
  const modules = sizes.flatMap(([course, id], index) =>
    id === null ? [] : [{ id, course, title: `Part ${id}`, sequence: index + 1 }],
  );
  const lessons = sizes.flatMap(([course, module, size], list) =>
    Array.from({ length: size }, (_, index): Lesson => {
      const id = 700 + list * 10 + ((index * 3 + 2) % 5);
      const fields = { title: `Lesson ${list}-${index}`, is_published: index !== 1, lesson_type: 'Text', points: 5 };
      return { id, course, module, sequence: index + 1, fields };
    }),
  );
  return { modules, lessons };
}

const postCounts: [channel: number, posts: number, topics: number][] = [
  [61, 110, 30],
  [62, 18, 9],
  [63, 10, 4],
  [64, 0, 0],
];

function makeChannels(): Channel[] {
  return ['general', 'help', 'wins', 'coaches'].map((slug, index) => ({
    id: 61 + index,
    slug,
    fields: { name: slug.toUpperCase(), description: `All about ${slug}`, locked: false, group_id: 1 + (index % 2) },
  }));
}

/** 138 posts of the last 60 days; the last topic of each channel has one post. */
function makePosts(now: number): Post[] {
  const random = createRandom(3);
  return postCounts.flatMap(([channel, posts, topics]) =>
    Array.from({ length: posts }, (_, index): Post => {
      const topic = channel * 100 + (index === 3 ? topics : random.integer(1, topics - 1));
      const at = Math.floor((now - 1_800_000 - index * ((59 * day) / posts) - channel * 1000) / 1000) * 1000;
      return {
        id: channel * 1000 + posts - index,
        channel,
        topic,
        author: random.integer(1, 20),
        at,
        content: `Post ${index}`,
      };
    }),
  );
}

export function makeState(now: number): State {
  const products = makeProducts();
  const students = Array.from({ length: studentCount }, (_, index) => makeStudent(index + 1, now));
  const orders = makeOrders(products, students, now);
  addProgress(students, orders);
  const roles = ['Mentor', 'Moderator', 'Guest'].map((name, index) => ({ id: index + 1, name }));
  return { products, students, orders, ...makeLessons(), channels: makeChannels(), posts: makePosts(now), roles };
}
