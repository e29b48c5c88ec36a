import type { OrderStatus } from '../contract/orders.ts';
import { seedCatalogue } from './seed/catalogue.ts';
import { seedCommunity } from './seed/community.ts';
import {
  answerText,
  createMemberPicker,
  createProductPicker,
  homeOf,
  projectPostText,
  type Sale,
  type SeedData,
} from './seed/pick.ts';
import { createRandom, hash, type Random } from './seed/random.ts';
import { seedActivity, seedStudents } from './seed/students.ts';
import { type CourseText, lessonTitles, texts } from './seed/texts.ts';
import { type Academy, type AcademyData, type AcademySettings, academyOf } from './state/academy.ts';
import { Records } from './state/collections.ts';
import { type LessonRecord, Lessons, type ModuleRecord } from './state/lessons.ts';
import { accountCurrency, decimal, isPositive, type NewOrder, OrderBook } from './state/orders.ts';
import { type AnswerRecord, Progress, type ProjectPostRecord, type StudentRecord } from './state/students.ts';

/** Invented, fixed exchange rates for one dollar. */
const rates: Readonly<Record<string, { code: string; rate: number }>> = {
  'United Kingdom': { code: 'GBP', rate: 0.8 },
  Brazil: { code: 'BRL', rate: 5.2 },
  Germany: { code: 'EUR', rate: 0.95 },
  France: { code: 'EUR', rate: 0.95 },
};

/** Converts cents of a dollar to the currency of a student, in hundredths. Most pay in dollars, wherever they live. */
function localPrice(key: string, studentId: number, cents: number): { currency: string; amount: number } {
  const { country, random } = homeOf(key, studentId);
  const local = rates[country.name];
  if (local === undefined || !random.chance(0.4)) return { currency: accountCurrency, amount: cents };
  return { currency: local.code, amount: Math.max(90, Math.round((cents * local.rate) / 100) * 100 - 10) };
}

/** Adds orders, oldest first. Each buyer has joined before. Without students there are no orders. */
function seedOrders(data: SeedData, count: number): void {
  const random = createRandom(data.key, 'orders');
  const products = createProductPicker(data.catalogue, random);
  const buyers = createMemberPicker(data.students.all(), random);
  for (let index = 0; index < count; index += 1) {
    const createdAt = data.calendar((index + random.next()) / count);
    const buyer = buyers.at(createdAt);
    if (buyer === undefined) return;
    const sale = products.pick(buyer.id);
    data.orders.add(orderOf(buyer, sale, createdAt, random, data.key));
  }
}

/** Assigned field by field, not spread: with 200,000 orders that saves a second. */
function orderOf(buyer: StudentRecord, sale: Sale, createdAt: number, random: Random, key: string): NewOrder {
  const terms = random.chance(0.06) ? grant(sale, random) : purchase(sale, buyer, random, key);
  return {
    student_id: buyer.id,
    user_email: emailTyped(buyer, random),
    amount: terms.amount,
    currency: terms.currency,
    description: terms.description,
    status: terms.status,
    affiliate_id: isPositive(terms.amount) && random.chance(0.06) ? random.integer(1, 40) : null,
    created_at: createdAt,
    courses: sale.contents.courses,
    digital_products: sale.contents.digital_products,
    bundles: sale.contents.bundles,
  };
}

type Terms = Pick<NewOrder, 'amount' | 'currency' | 'status' | 'description'>;

function grant(sale: Sale, random: Random): Terms {
  const amount = random.chance(0.5) ? '0.00' : '0';
  return { amount, currency: accountCurrency, status: 'paid', description: `Granted access: ${sale.title}` };
}

function purchase(sale: Sale, buyer: StudentRecord, random: Random, key: string): Terms {
  const isDiscounted = random.chance(0.1);
  const { currency, amount } = localPrice(key, buyer.id, isDiscounted ? Math.round(sale.cents * 0.8) : sale.cents);
  return {
    amount: decimal(amount),
    currency,
    status: statusOf(random.next()),
    description: isDiscounted ? `${sale.title} (20% off)` : sale.title,
  };
}

/** The usual share of each status in a shop of this size. */
function statusOf(share: number): OrderStatus {
  if (share < 0.905) return 'paid';
  if (share < 0.945) return 'wallet_executed';
  return share < 0.965 ? 'pending' : 'failed';
}

/** Some people type their email with other capitals at the checkout than at sign-up. */
function emailTyped({ email }: StudentRecord, random: Random): string {
  if (!random.chance(0.04)) return email;
  const lower = email.toLowerCase();
  return lower === email ? `${email.charAt(0).toUpperCase()}${email.slice(1)}` : lower;
}

function lessonContent(title: string, random: Random): string {
  return `${title}\n\n${random.pick(texts.lessonOpenings)} ${random.pick(texts.lessonMiddles)}\n\n${random.pick(texts.lessonEndings)}`;
}

// High enough that lessons, modules and courses share no id: a mix-up then ends in a 404.
const firstModuleId = 201;
const firstLessonId = 1001;

interface Draft {
  readonly modules: ModuleRecord[];
  readonly lessons: LessonRecord[];
  readonly random: Random;
}

/** Modules and lessons of all courses. Some sequences have gaps, some lessons are unpublished. */
function seedLessons(): Lessons {
  const draft: Draft = { modules: [], lessons: [], random: createRandom('lessons') };
  for (const text of texts.courses) addCourse(draft, text);
  return new Lessons(draft.modules, draft.lessons);
}

function addCourse(draft: Draft, text: CourseText): void {
  let sequence = 0;
  for (const { title, lessons } of text.modules) {
    const id = firstModuleId + draft.modules.length;
    draft.modules.push({ id, course_id: text.id, title, sequence, is_published: !draft.random.chance(0.04) });
    sequence += draft.random.chance(0.1) ? 2 : 1;
    addLessons(draft, text.id, id, lessonTitles(lessons));
  }
  addLessons(draft, text.id, null, lessonTitles(text.ungrouped));
}

function addLessons(draft: Draft, courseId: number, moduleId: number | null, titles: readonly string[]): void {
  const { random } = draft;
  // Some lists start at 1, as if their first lesson had been deleted.
  let sequence = random.chance(0.15) ? 1 : 0;
  for (const title of titles) {
    draft.lessons.push(lessonOf(draft, { course_id: courseId, module_id: moduleId, title, sequence }));
    sequence += random.chance(0.08) ? random.integer(2, 4) : 1;
  }
}

function lessonOf(
  { lessons, random }: Draft,
  own: Pick<LessonRecord, 'course_id' | 'module_id' | 'title' | 'sequence'>,
): LessonRecord {
  const { course_id, module_id, title, sequence } = own;
  const id = firstLessonId + lessons.length;
  const hasVideo = random.chance(0.4);
  return {
    id,
    course_id,
    module_id,
    title,
    content: lessonContent(title, random),
    sequence,
    is_published: !random.chance(0.06),
    lesson_type: 'Text',
    points: random.chance(0.7) ? random.pick([5, 10, 10, 20]) : null,
    learning_objective: random.chance(0.5) ? `Explain and use: ${title}` : null,
    video_embed: null,
    video_url: hasVideo ? `https://video.example.com/lessons/${id}` : null,
    release_day: random.chance(0.1) ? random.integer(1, 28) : null,
    requires_unlock: random.chance(0.08),
  };
}

/** The API lists these without pages, so even a large academy has few. */
const maxAnswers = 240;
const maxProjectPosts = 90;

/** Answers to assignments, oldest first. Each author has completed the lesson. */
function seedAnswers(data: SeedData): Records<AnswerRecord> {
  const random = createRandom(data.key, 'answers');
  const wanted = Math.min(maxAnswers, data.students.size * 2);
  const rows = contributors(data, random, wanted).flatMap(({ student, courseId, created_at }) => {
    const lesson = data.progress.completed(student.id, courseId).at(-1);
    if (lesson === undefined) return [];
    return [{ student_id: student.id, lesson_id: lesson, ...answerText(student, courseId, random), created_at }];
  });
  return new Records(rows.map((row, index) => ({ id: index + 1, ...row })));
}

/** Posts in projects, oldest first. Each author has the course of the project. */
function seedProjectPosts(data: SeedData): Records<ProjectPostRecord> {
  const random = createRandom(data.key, 'project posts');
  const wanted = Math.min(maxProjectPosts, data.students.size);
  const projects = data.catalogue.projects.all();
  const rows = contributors(data, random, wanted).flatMap(({ student, courseId, created_at }) => {
    const project = projects.find((candidate) => candidate.course_id === courseId);
    if (project === undefined) return [];
    return [
      { student_id: student.id, project_id: project.id, ...projectPostText(student, project, random), created_at },
    ];
  });
  return new Records(rows.map((row, index) => ({ id: index + 1, ...row })));
}

/** Draws authors: buyers, each in a course of an order and some time after it. Sorted by time. */
function contributors(data: SeedData, random: Random, wanted: number) {
  const orders = data.orders.find({ status: 'paid' }).rows.filter((order) => order.courses.length > 0);
  if (orders.length === 0) return [];
  const drawn = Array.from({ length: wanted }).flatMap(() => {
    const order = random.pick(orders);
    const passed = Math.floor((data.now - order.created_at) * random.next());
    const student = data.students.get(order.student_id);
    const courseId = random.pick(order.courses);
    return student === undefined ? [] : [{ student, courseId, created_at: order.created_at + passed }];
  });
  return drawn.sort((a, b) => a.created_at - b.created_at);
}

const day = 86_400_000;
const days = 730;

/** Weekends sell less, sales triple in two years, and a campaign lifts the last six weeks. */
function weightOf(daysAgo: number, now: number): number {
  const weekday = new Date(now - daysAgo * day).getUTCDay();
  const quiet = weekday === 0 || weekday === 6 ? 0.7 : 1;
  const growth = 1 + 2 * (1 - daysAgo / days);
  return quiet * growth * (daysAgo <= 42 ? 3.1 : 1);
}

/**
 * Returns a function that spreads times over the two years before `now`, most of them in the last weeks. It takes a share
 * from 0 to 1 and returns milliseconds since 1970. A larger share gives a later time.
 */
function createCalendar(now: number): (share: number) => number {
  const weights = Array.from({ length: days }, (_, index) => weightOf(days - index - 0.5, now));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const start = now - days * day;
  let past = 0;
  const ends = weights.map((weight) => {
    past += weight / total;
    return past;
  });
  return (share) => {
    const above = ends.findIndex((end) => end > share);
    const index = above < 0 ? days - 1 : above;
    const before = ends[index - 1] ?? 0;
    const within = (share - before) / ((ends[index] ?? 1) - before);
    return Math.floor(start + (index + Math.min(within, 1)) * day);
  };
}

const threeDigits = 36 ** 3;
const sixDigits = threeDigits ** 2;

/**
 * The public id of the n-th order of an academy: 12 characters, unique, and identical at every start. The first six are a
 * permutation of n; the others make ids hard to guess.
 */
function orderIds(key: string): (number: number) => string {
  return (number) => base36(shuffled(number, key)) + base36(hash(`${key}|order|${number}`, 12) % sixDigits);
}

/** A Feistel network: each round changes one half by a hash of the other, so it is reversible and never collides. */
function shuffled(number: number, key: string): number {
  let high = Math.floor(number / threeDigits) % threeDigits;
  let low = number % threeDigits;
  for (let round = 0; round < 4; round += 1) {
    const next = (high + hash(`${key}|${round}|${low}`, 11)) % threeDigits;
    high = low;
    low = next;
  }
  return high * threeDigits + low;
}

function base36(value: number): string {
  return value.toString(36).padStart(6, '0');
}

/** Identical settings give an identical academy, byte for byte. */
export function createAcademy(settings: AcademySettings): Academy {
  return academyOf(settings, seedAcademy(settings));
}

/** All data of an academy at `now`. Depends only on the settings. */
function seedAcademy(settings: AcademySettings): AcademyData {
  const key = `${settings.seed}|${settings.subdomain}`;
  const now = settings.now.getTime();
  const source = { key, now, calendar: createCalendar(now) };
  const catalogue = seedCatalogue(now);
  const lessons = seedLessons();
  const students = seedStudents(source, settings.students);
  const orders = new OrderBook(orderIds(key));
  const progress = new Progress();
  const data = { ...source, catalogue, lessons, students, orders, progress };
  seedOrders(data, settings.orders);
  seedActivity(data);
  return {
    key,
    appName: createRandom(key, 'name').pick(texts.academyNames),
    catalogue,
    lessons,
    students,
    orders,
    progress,
    community: seedCommunity(data),
    answers: seedAnswers(data),
    projectPosts: seedProjectPosts(data),
  };
}
