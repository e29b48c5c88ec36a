import * as z from 'zod';
import { answerText, createProductPicker, emailOf, homeOf, pickName, projectPostText } from './seed/pick.ts';
import { createRandom, type Random } from './seed/random.ts';
import type { Academy } from './state/academy.ts';
import { courseCompletion, heldCourses, totalCompletion } from './state/held-products.ts';
import {
  accountCurrency,
  decimal,
  itemTitles,
  type NewOrder,
  type OrderItems,
  type OrderRecord,
  orderContents,
} from './state/orders.ts';
import type { StudentRecord } from './state/students.ts';
import { orderBody, studentIdentity } from './views.ts';

const draws = 12;

/** Draws a few students at random, perhaps one of them twice. Ids run from 1 without gaps. */
function randomStudents({ students }: Academy, random: Random): StudentRecord[] {
  if (students.size === 0) return [];
  return Array.from({ length: draws }, () => students.get(random.integer(1, students.size))).filter(
    (student) => student !== undefined,
  );
}

/** Finds the student of an activity and counts a sign-in. */
function recordVisit({ students }: Academy, email: string): StudentRecord {
  const student = students.withEmail(email);
  if (student === undefined) throw new Error(`there is no student ${email}`);
  student.sign_in_count += 1;
  return student;
}

const projectPostInput = z.strictObject({
  email: z.string(),
  project_id: z.int(),
  title: z.string(),
  content: z.string(),
});

/** Draws a post in the project of a course that the student has. */
function drawProjectPost(academy: Academy, random: Random) {
  const projects = academy.catalogue.projects.all();
  for (const student of randomStudents(academy, random)) {
    const held = heldCourses(academy, student.id);
    const project = projects.find(({ course_id }) => held.includes(course_id));
    if (project !== undefined) {
      return { email: student.email, project_id: project.id, ...projectPostText(student, project, random) };
    }
  }
  return undefined;
}

function postInProject(given: unknown, academy: Academy): void {
  const { email, ...texts } = projectPostInput.parse(given);
  const student = recordVisit(academy, email);
  const { title } = academy.projectPosts.add({
    id: academy.projectPosts.nextId(),
    student_id: student.id,
    ...texts,
    created_at: academy.now().getTime(),
  });
  academy.emit('new_project_post', () => ({ ...studentIdentity(student), post: title }));
}

const lessonInput = z.strictObject({ email: z.string(), lesson_id: z.int() });

/** Of a few students, picks the one nearest to the end of a course, and their next lesson: so courses get finished. */
function drawLesson(academy: Academy, random: Random) {
  const open = randomStudents(academy, random).flatMap((student) =>
    heldCourses(academy, student.id).map((courseId) => ({ student, left: lessonsLeft(academy, student.id, courseId) })),
  );
  const nearest = open.filter(({ left }) => left.length > 0).sort((a, b) => a.left.length - b.left.length)[0];
  const lesson = nearest?.left[0];
  return nearest === undefined || lesson === undefined
    ? undefined
    : { email: nearest.student.email, lesson_id: lesson };
}

function lessonsLeft({ lessons, progress }: Academy, studentId: number, courseId: number): number[] {
  const done = new Set(progress.completed(studentId, courseId));
  return [...lessons.publishedIds(courseId)].filter((id) => !done.has(id));
}

function completeLesson(given: unknown, academy: Academy): void {
  const { email, lesson_id } = lessonInput.parse(given);
  const lesson = academy.lessons.get(lesson_id);
  if (lesson === undefined) throw new Error(`there is no lesson ${lesson_id}`);
  const student = recordVisit(academy, email);
  const before = completions(academy, student.id, lesson.course_id);
  academy.progress.complete(student.id, lesson.course_id, lesson.id);
  student.points += lesson.points ?? 0;
  student.lesson_views_count += 1;
  const after = completions(academy, student.id, lesson.course_id);
  const course = academy.catalogue.courses.get(lesson.course_id)?.title ?? '';
  if (before.course < 100 && after.course >= 100) {
    academy.emit('course_completed', () => ({ ...studentIdentity(student), course, course_id: lesson.course_id }));
  }
  if (before.total < 100 && after.total >= 100) academy.emit('student_completed', () => studentIdentity(student));
}

function completions(academy: Academy, studentId: number, courseId: number) {
  return { course: courseCompletion(academy, studentId, courseId), total: totalCompletion(academy, studentId) };
}

const ids = z.array(z.int());
const orderInput = z.strictObject({
  email: z.string(),
  name: z.string(),
  amount: z.string(),
  currency: z.string(),
  status: z.enum(['paid', 'wallet_executed']),
  description: z.string(),
  courses: ids,
  digital_products: ids,
  bundles: ids,
});

function drawOrder(academy: Academy, random: Random) {
  const isNew = random.chance(0.4);
  const buyer = isNew ? undefined : randomStudents(academy, random)[0];
  const sale = createProductPicker(academy.catalogue, random).pick(buyer?.id ?? 0);
  return {
    ...(buyer === undefined ? newcomer(academy, random) : { email: buyer.email, name: buyer.name }),
    amount: decimal(sale.cents),
    currency: accountCurrency,
    status: random.chance(0.95) ? 'paid' : 'wallet_executed',
    description: sale.title,
    ...sale.contents,
  };
}

function payOrder(given: unknown, academy: Academy): void {
  const { email, name, ...terms } = orderInput.parse(given);
  const student = academy.students.withEmail(email) ?? registerStudent(academy, { email, name });
  Object.assign(student, { enrolled: true, paying_student: true, sign_in_count: student.sign_in_count + 1 });
  placeOrder(academy, student, terms);
}

/** The name fits the country that the billing address will have. */
function newcomer({ key, students }: Academy, random: Random) {
  const person = pickName(homeOf(key, students.nextId()).country, random);
  const isTaken = (email: string) => students.withEmail(email) !== undefined;
  return { email: emailOf(person, students.nextId(), random, isTaken), name: person.display };
}

const answerInput = z.strictObject({ email: z.string(), lesson_id: z.int(), question: z.string(), answer: z.string() });

/** Draws an answer to the lesson that a student completed last. */
function drawAnswer(academy: Academy, random: Random) {
  for (const student of randomStudents(academy, random)) {
    const courseId = heldCourses(academy, student.id).findLast(
      (held) => academy.progress.completed(student.id, held).length > 0,
    );
    const lesson = courseId && academy.progress.completed(student.id, courseId).at(-1);
    if (lesson) return { email: student.email, lesson_id: lesson, ...answerText(student, courseId, random) };
  }
  return undefined;
}

function submitAnswer(given: unknown, academy: Academy): void {
  const { email, ...texts } = answerInput.parse(given);
  const student = recordVisit(academy, email);
  const { answer, question, lesson_id } = academy.answers.add({
    id: academy.answers.nextId(),
    student_id: student.id,
    ...texts,
    created_at: academy.now().getTime(),
  });
  const lesson = academy.lessons.get(lesson_id)?.title ?? '';
  academy.emit('new_answer', () => ({ ...studentIdentity(student), answer, question, lesson }));
}

type ActivityName = 'order_paid' | 'lesson_completed' | 'answer_submitted' | 'project_posted';

/** One simulated action of a member. The input is plain JSON, so a journal can hold it. */
export interface Activity {
  readonly name: ActivityName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Each changes the academy and emits its events. Throws for an input that `nextActivity` cannot have created. */
export const activities: Readonly<Record<ActivityName, (input: unknown, academy: Academy) => void>> = {
  order_paid: counted(payOrder),
  lesson_completed: counted(completeLesson),
  answer_submitted: counted(submitAnswer),
  project_posted: counted(postInProject),
};

/** Decides the next activity from the state alone: the same state gives the same activity. Changes nothing. */
export function nextActivity(academy: Academy): Activity {
  // Journals and seeded academies depend on this word.
  const random = createRandom(academy.key, 'happening', academy.activityCount);
  return draw(academy, random) ?? { name: 'order_paid', input: drawOrder(academy, random) };
}

/** Undefined for an order, or if no student can do what was drawn: an order is always possible. */
function draw(academy: Academy, random: Random): Activity | undefined {
  const share = random.next();
  if (share < 0.35) return undefined;
  if (share < 0.8) return named('lesson_completed', drawLesson(academy, random));
  if (share < 0.92) return named('answer_submitted', drawAnswer(academy, random));
  return named('project_posted', drawProjectPost(academy, random));
}

function named(name: ActivityName, input: Activity['input'] | undefined): Activity | undefined {
  return input === undefined ? undefined : { name, input };
}

function counted(activity: (input: unknown, academy: Academy) => void) {
  return (input: unknown, academy: Academy) => {
    activity(input, academy);
    academy.activityCount += 1;
  };
}

type OrderTerms = Pick<
  NewOrder,
  'amount' | 'currency' | 'status' | 'description' | 'courses' | 'digital_products' | 'bundles'
>;

/** The order of access that an admin grants: amount 0, status paid. */
export function grantedOrder({ catalogue }: Academy, items: OrderItems): OrderTerms {
  return {
    amount: '0.00',
    currency: accountCurrency,
    status: 'paid',
    description: `Granted access: ${itemTitles(catalogue, items)}`,
    ...orderContents(catalogue, items),
  };
}

/** Adds an order at the current time and emits new_order. */
export function placeOrder(academy: Academy, student: StudentRecord, terms: OrderTerms): OrderRecord {
  const order = academy.orders.add({
    ...terms,
    student_id: student.id,
    user_email: student.email,
    affiliate_id: null,
    created_at: academy.now().getTime(),
  });
  academy.emit('new_order', () => orderBody(academy, order));
  return order;
}

/** Adds a student at the current time and emits new_student. */
export function registerStudent(academy: Academy, person: { email: string; name: string }): StudentRecord {
  const student = academy.students.join({ ...person, createdAt: academy.now().getTime() });
  academy.emit('new_student', () => studentIdentity(student));
  return student;
}
