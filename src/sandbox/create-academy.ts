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
import { lessonTitles, texts } from './seed/texts.ts';
import type { Academy, AcademySettings } from './state/academy.ts';
import { numbered } from './state/collections.ts';
import { type LessonRecord, Lessons, type ModuleRecord } from './state/lessons.ts';
import { accountCurrency, decimal, isPositive, OrderBook } from './state/orders.ts';
import { Progress, type StudentRecord } from './state/students.ts';

/** Invented, fixed exchange rates for one dollar. */
const rates: Readonly<Record<string, { code: string; rate: number }>> = {
  'United Kingdom': { code: 'GBP', rate: 0.8 },
  Brazil: { code: 'BRL', rate: 5.2 },
  Germany: { code: 'EUR', rate: 0.95 },
  France: { code: 'EUR', rate: 0.95 },
};

/** Converts cents of a dollar to the currency of a student. Most pay in dollars, wherever they live. */
function localPrice(key: string, studentId: number, cents: number) {
  const { country, random } = homeOf(key, studentId);
  const local = rates[country.name];
  if (local === undefined || !random.chance(0.4)) return { currency: accountCurrency, amount: decimal(cents) };
  return {
    currency: local.code,
    amount: decimal(Math.max(90, Math.round((cents * local.rate) / 100) * 100 - 10)),
  };
}

/** Adds orders, oldest first. Each buyer has joined before. Without students there are no orders. */
function seedOrders(data: SeedData, count: number): void {
  const random = createRandom(data.key, 'orders');
  const pickProducts = createProductPicker(data.catalogue, random);
  const memberAt = createMemberPicker(data.students.all(), random);
  for (let index = 0; index < count; index += 1) {
    const created_at = data.calendar((index + random.next()) / count);
    const buyer = memberAt(created_at);
    if (buyer === undefined) return;
    const sale = pickProducts(buyer.id);
    const terms = random.chance(0.06) ? grant(sale, random) : purchase(sale, buyer, random, data.key);
    const user_email = emailTyped(buyer, random);
    const affiliate_id = isPositive(terms.amount) && random.chance(0.06) ? random.integer(1, 40) : null;
    data.orders.add({ ...terms, ...sale.contents, student_id: buyer.id, user_email, affiliate_id, created_at });
  }
}

function grant({ title }: Sale, random: Random) {
  const amount = random.chance(0.5) ? '0.00' : '0';
  return { amount, currency: accountCurrency, status: 'paid' as const, description: `Granted access: ${title}` };
}

function purchase({ cents, title }: Sale, buyer: StudentRecord, random: Random, key: string) {
  const isDiscounted = random.chance(0.1);
  return {
    ...localPrice(key, buyer.id, isDiscounted ? Math.round(cents * 0.8) : cents),
    status: statusOf(random.next()),
    description: isDiscounted ? `${title} (20% off)` : title,
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

// High enough that lessons, modules and courses share no id: a mix-up then ends in a 404.
const firstModuleId = 201;
const firstLessonId = 1001;

/** Modules and lessons of all courses. Some sequences have gaps, some lessons are unpublished. */
function seedLessons(): Lessons {
  const random = createRandom('lessons');
  const modules: ModuleRecord[] = [];
  const lessons: LessonRecord[] = [];

  function addLessons(course_id: number, module_id: number | null, titles: string): void {
    // Some lists start at 1, as if their first lesson had been deleted.
    let sequence = random.chance(0.15) ? 1 : 0;
    for (const title of lessonTitles(titles)) {
      lessons.push(lessonOf({ id: firstLessonId + lessons.length, course_id, module_id, title, sequence }, random));
      sequence += random.chance(0.08) ? random.integer(2, 4) : 1;
    }
  }

  for (const course of texts.courses) {
    let sequence = 0;
    for (const { title, lessons: titles } of course.modules) {
      const id = firstModuleId + modules.length;
      modules.push({ id, course_id: course.id, title, sequence, is_published: !random.chance(0.04) });
      sequence += random.chance(0.1) ? 2 : 1;
      addLessons(course.id, id, titles);
    }
    addLessons(course.id, null, course.ungrouped);
  }
  return new Lessons(modules, lessons);
}

type Place = Pick<LessonRecord, 'id' | 'course_id' | 'module_id' | 'title' | 'sequence'>;

function lessonOf({ id, course_id, module_id, title, sequence }: Place, random: Random): LessonRecord {
  const hasVideo = random.chance(0.4);
  return {
    id,
    course_id,
    module_id,
    title,
    content: `${title}\n\n${random.pick(texts.lessonOpenings)} ${random.pick(texts.lessonMiddles)}\n\n${random.pick(texts.lessonEndings)}`,
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

/** Each is about a course of an order and some time after it. Oldest first. `write`: undefined if a student can write nothing. */
function contributions<Text extends object>(
  data: SeedData,
  random: Random,
  wanted: number,
  write: (student: StudentRecord, courseId: number) => Text | undefined,
) {
  const orders = data.orders.all().filter(({ status, courses }) => status === 'paid' && courses.length > 0);
  // Newest first: the random numbers of every seed depend on it.
  orders.reverse();
  const authors = Array.from({ length: orders.length === 0 ? 0 : wanted }).flatMap(() => {
    const order = random.pick(orders);
    const created_at = order.created_at + Math.floor((data.now - order.created_at) * random.next());
    const courseId = random.pick(order.courses);
    const student = data.students.get(order.student_id);
    return student === undefined ? [] : [{ student, courseId, created_at }];
  });
  authors.sort((a, b) => a.created_at - b.created_at);
  const rows = authors.flatMap(({ student, courseId, created_at }) => {
    const text = write(student, courseId);
    return text === undefined ? [] : [{ student_id: student.id, ...text, created_at }];
  });
  return numbered(rows);
}

/** The API lists answers and project posts without pages, so even a large academy has few. */
const maxAnswers = 240;
const maxProjectPosts = 90;

/** Answers to assignments. Each author has completed the lesson. */
function seedAnswers(data: SeedData) {
  const random = createRandom(data.key, 'answers');
  return contributions(data, random, Math.min(maxAnswers, data.students.size * 2), (student, courseId) => {
    const lesson_id = data.progress.completed(student.id, courseId).at(-1);
    return lesson_id === undefined ? undefined : { lesson_id, ...answerText(student, courseId, random) };
  });
}

/** Posts in projects. Each author has the course of the project. */
function seedProjectPosts(data: SeedData) {
  const random = createRandom(data.key, 'project posts');
  return contributions(data, random, Math.min(maxProjectPosts, data.students.size), (student, courseId) => {
    const project = data.catalogue.projects.all().find(({ course_id }) => course_id === courseId);
    return project && { project_id: project.id, ...projectPostText(student, project, random) };
  });
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

/** Takes a share from 0 to 1, returns milliseconds since 1970 in the two years before `now`: the larger, the later. */
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

/** 12 characters, unique, identical at every start. The first six are a permutation of n; the others make ids hard to guess. */
function orderId(key: string, number: number): string {
  const parts = [shuffled(number, key), hash(`${key}|order|${number}`, 12) % sixDigits];
  return parts.map((part) => part.toString(36).padStart(6, '0')).join('');
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

/** Identical settings give an identical academy, byte for byte. */
export function createAcademy(settings: AcademySettings): Academy {
  const key = `${settings.seed}|${settings.subdomain}`;
  const now = settings.now.getTime();
  const source = { key, now, calendar: createCalendar(now) };
  const data = {
    ...source,
    catalogue: seedCatalogue(now),
    lessons: seedLessons(),
    students: seedStudents(source, settings.students),
    orders: new OrderBook((number) => orderId(key, number)),
    progress: new Progress(),
  };
  seedOrders(data, settings.orders);
  seedActivity(data);
  return {
    ...data,
    settings,
    appName: createRandom(key, 'name').pick(texts.academyNames),
    community: seedCommunity(data),
    answers: seedAnswers(data),
    projectPosts: seedProjectPosts(data),
    activityCount: 0,
    now: () => settings.now,
    emit: () => undefined,
  };
}
