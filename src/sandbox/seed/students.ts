import { isSettled } from '../state/held-products.ts';
import { isPositive, type OrderRecord } from '../state/orders.ts';
import { type StudentRecord, StudentRegister } from '../state/students.ts';
import { emailOf, homeOf, pickName, type SeedContext, type SeedData } from './pick.ts';
import { createRandom, type Random } from './random.ts';

const day = 86_400_000;

/** Students in the order in which they joined. The first one is the admin. */
export function seedStudents(source: SeedContext, count: number): StudentRegister {
  const random = createRandom(source.key, 'students');
  const register = new StudentRegister();
  for (let index = 0; index < count; index += 1) {
    // The first student joined at the start, so every order has a possible buyer.
    const joined = index === 0 ? 0 : (index + random.next()) / count;
    addStudent(source, register, source.calendar(joined), random);
  }
  return register;
}

function addStudent({ key, now }: SeedContext, register: StudentRegister, createdAt: number, random: Random): void {
  const id = register.nextId();
  const { country, random: home } = homeOf(key, id);
  const town = home.pick(country.places).split('/')[0];
  const { name, latin } = pickName(country, random);
  const handle = latin.join('');
  const student = register.join({ name, email: emailOf(latin, id, random, register), createdAt });
  Object.assign(student, {
    location: random.chance(0.6) ? `${town}, ${country.name}` : null,
    facebook_link: random.chance(0.12) ? `https://friends.example.com/${handle}` : null,
    twitter_link: random.chance(0.1) ? `https://short.example.org/@${handle}` : null,
    admin: id === 1,
    is_active: !random.chance(0.05),
    // Visits without lessons. `seedActivity` adds those with lessons.
    sign_in_count: Math.floor(random.next() ** 3 * Math.min(400, 5 + (now - createdAt) / day)),
    role_ids: random.chance(0.06) ? [random.integer(1, 4)] : [],
  } satisfies Partial<StudentRecord>);
}

/** Derives from the orders: enrollment, payment, progress and visits of each student. */
export function seedActivity(data: SeedData): void {
  const random = createRandom(data.key, 'activity');
  const visits = createRandom(data.key, 'visits');
  for (const student of data.students.all()) {
    const settled = data.orders.ofStudent(student.id).filter(isSettled);
    student.enrolled = settled.length > 0;
    student.paying_student = settled.some(({ amount }) => isPositive(amount));
    seedProgress(data, student, settled, random);
    const completed = data.progress.count(student.id);
    student.points = completed * 10;
    student.lesson_views_count = completed + Math.floor(completed * random.next() * 2) + settled.length;
    student.sign_in_count += Math.ceil(student.lesson_views_count / visits.integer(2, 6));
  }
}

/** The share of a course that a student completed: most start, many stop half-way, some finish. */
function shareDone(random: Random): number {
  const kind = random.next();
  if (kind < 0.25) return 0;
  return kind < 0.85 ? random.next() ** 1.5 : 1;
}

function seedProgress(data: SeedData, student: StudentRecord, settled: readonly OrderRecord[], random: Random): void {
  // The second student always does, so even a tiny academy has a student at 100 percent.
  const finishesEverything = student.id === 2 || random.chance(0.06);
  for (const courseId of new Set(settled.flatMap((order) => order.courses))) {
    const ids = [...data.lessons.publishedIds(courseId)];
    const count = Math.floor((finishesEverything ? 1 : shareDone(random)) * ids.length);
    data.progress.set(student.id, courseId, ids.slice(0, count));
  }
}
