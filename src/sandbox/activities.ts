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
import type { AnswerRecord, ProjectPostRecord, StudentRecord } from './state/students.ts';
import { orderBody, studentIdentity } from './views.ts';

// What members do by themselves. Each activity counts as a sign-in.

const draws = 12;

/** Draws a few students at random, perhaps one of them twice. Ids run from 1 without gaps. */
function randomStudents({ students }: Academy, random: Random): StudentRecord[] {
  if (students.size === 0) return [];
  return Array.from({ length: draws }, () => students.get(random.integer(1, students.size))).filter(
    (student) => student !== undefined,
  );
}

type Contribution<Row> = Omit<Row, 'id' | 'student_id' | 'created_at'>;

/** The fields that every new contribution has. */
function contributed(academy: Academy, student: StudentRecord) {
  student.sign_in_count += 1;
  return { student_id: student.id, created_at: academy.now().getTime() };
}

export function postInProject(academy: Academy, student: StudentRecord, post: Contribution<ProjectPostRecord>): void {
  const { projectPosts } = academy;
  projectPosts.add({ id: projectPosts.nextId(), ...contributed(academy, student), ...post });
  academy.emit('new_project_post', () => ({ ...studentIdentity(student), post: post.title }));
}

/** False if none of the drawn students has the course of a project. */
function postSomewhere(academy: Academy, random: Random): boolean {
  const projects = academy.catalogue.projects.all();
  for (const student of randomStudents(academy, random)) {
    const held = heldCourses(academy, student.id);
    const project = projects.find(({ course_id }) => held.includes(course_id));
    if (project === undefined) continue;
    postInProject(academy, student, { project_id: project.id, ...projectPostText(student, project, random) });
    return true;
  }
  return false;
}

export function submitAnswer(academy: Academy, student: StudentRecord, given: Contribution<AnswerRecord>): void {
  const { answers, lessons } = academy;
  const { lesson_id, answer, question } = given;
  answers.add({ id: answers.nextId(), ...contributed(academy, student), ...given });
  const lesson = lessons.get(lesson_id)?.title ?? '';
  academy.emit('new_answer', () => ({ ...studentIdentity(student), answer, question, lesson }));
}

/** Answers the lesson that a student completed last. False if none of the drawn students has completed one. */
function answerLastLesson(academy: Academy, random: Random): boolean {
  for (const student of randomStudents(academy, random)) {
    const completed = (courseId: number) => academy.progress.completed(student.id, courseId);
    const courseId = heldCourses(academy, student.id).findLast((held) => completed(held).length > 0);
    const lesson_id = courseId && completed(courseId).at(-1);
    if (!lesson_id) continue;
    submitAnswer(academy, student, { lesson_id, ...answerText(student, courseId, random) });
    return true;
  }
  return false;
}

function completions(academy: Academy, studentId: number, courseId: number) {
  return { course: courseCompletion(academy, studentId, courseId), total: totalCompletion(academy, studentId) };
}

export function completeLesson(academy: Academy, student: StudentRecord, lessonId: number): void {
  const lesson = academy.lessons.get(lessonId);
  if (lesson === undefined) throw new Error(`there is no lesson ${lessonId}`);
  const { course_id } = lesson;
  const before = completions(academy, student.id, course_id);
  academy.progress.complete(student.id, course_id, lesson.id);
  student.sign_in_count += 1;
  student.points += lesson.points ?? 0;
  student.lesson_views_count += 1;
  const after = completions(academy, student.id, course_id);
  const course = academy.catalogue.courses.get(course_id)?.title ?? '';
  if (before.course < 100 && after.course >= 100) {
    academy.emit('course_completed', () => ({ ...studentIdentity(student), course, course_id }));
  }
  if (before.total < 100 && after.total >= 100) academy.emit('student_completed', () => studentIdentity(student));
}

function lessonsLeft({ lessons, progress }: Academy, studentId: number, courseId: number): number[] {
  const done = new Set(progress.completed(studentId, courseId));
  return [...lessons.publishedIds(courseId)].filter((id) => !done.has(id));
}

/** Of a few students, the one nearest to the end of a course completes their next lesson: so courses get finished. */
function completeNextLesson(academy: Academy, random: Random): boolean {
  const open = randomStudents(academy, random).flatMap((student) =>
    heldCourses(academy, student.id).map((courseId) => ({ student, left: lessonsLeft(academy, student.id, courseId) })),
  );
  const [nearest] = open.filter(({ left }) => left.length > 0).sort((a, b) => a.left.length - b.left.length);
  const lesson = nearest?.left[0];
  if (nearest === undefined || lesson === undefined) return false;
  completeLesson(academy, nearest.student, lesson);
  return true;
}

/** The name fits the country that the billing address will have. */
function newcomer({ key, students }: Academy, random: Random) {
  const person = pickName(homeOf(key, students.nextId()).country, random);
  const isTaken = (email: string) => students.withEmail(email) !== undefined;
  return { email: emailOf(person, students.nextId(), random, isTaken), name: person.display };
}

/** A student, or somebody new, buys something. */
function payOrder(academy: Academy, random: Random): void {
  const [known] = random.chance(0.4) ? [] : randomStudents(academy, random);
  const sale = createProductPicker(academy.catalogue, random).pick(known?.id ?? 0);
  const person = known ?? newcomer(academy, random);
  const status = random.chance(0.95) ? 'paid' : 'wallet_executed';
  const buyer = known ?? registerStudent(academy, person);
  Object.assign(buyer, { enrolled: true, paying_student: true, sign_in_count: buyer.sign_in_count + 1 });
  const terms = { amount: decimal(sale.cents), currency: accountCurrency, status, description: sale.title } as const;
  placeOrder(academy, buyer, { ...terms, ...sale.contents });
}

/** Lets a member do something. The state alone decides what, so that a replay does the same again. */
export function simulateActivity(academy: Academy): void {
  // Journals and seeded academies depend on this word.
  const random = createRandom(academy.key, 'happening', academy.activityCount);
  academy.activityCount += 1;
  if (!contribute(academy, random)) payOrder(academy, random);
}

/** False for an order, or if no student can do what was drawn: an order is always possible. */
function contribute(academy: Academy, random: Random): boolean {
  const share = random.next();
  if (share < 0.35) return false;
  if (share < 0.8) return completeNextLesson(academy, random);
  return share < 0.92 ? answerLastLesson(academy, random) : postSomewhere(academy, random);
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
