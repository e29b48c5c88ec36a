import { answerText, createProductPicker, emailOf, homeOf, pickName, projectPostText } from './seed/pick.ts';
import { createRandom, type Random } from './seed/random.ts';
import type { Academy } from './state/academy.ts';
import { courseCompletion, heldCourses, totalCompletion } from './state/held-products.ts';
import {
  accountCurrency,
  decimal,
  itemTitles,
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
  const drawn = Array.from({ length: students.size === 0 ? 0 : draws }, () => random.integer(1, students.size));
  return drawn.flatMap((id) => students.get(id) ?? []);
}

type Contribution<Row> = Omit<Row, 'id' | 'student_id' | 'created_at'>;

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
  return randomStudents(academy, random).some((student) => {
    const held = heldCourses(academy, student.id);
    const project = academy.catalogue.projects.all().find(({ course_id }) => held.includes(course_id));
    if (project === undefined) return false;
    postInProject(academy, student, { project_id: project.id, ...projectPostText(student, project, random) });
    return true;
  });
}

export function submitAnswer(academy: Academy, student: StudentRecord, contribution: Contribution<AnswerRecord>): void {
  const { answers, lessons } = academy;
  const { lesson_id, answer, question } = contribution;
  answers.add({ id: answers.nextId(), ...contributed(academy, student), ...contribution });
  const lesson = lessons.get(lesson_id)?.title ?? '';
  academy.emit('new_answer', () => ({ ...studentIdentity(student), answer, question, lesson }));
}

/** Answers the lesson that a student completed last. False if none of the drawn students has completed one. */
function answerLastLesson(academy: Academy, random: Random): boolean {
  return randomStudents(academy, random).some((student) => {
    const lastOf = (courseId: number) => academy.progress.completed(student.id, courseId).at(-1);
    const courseId = heldCourses(academy, student.id).findLast((held) => lastOf(held) !== undefined) ?? 0;
    const lesson_id = lastOf(courseId);
    if (lesson_id === undefined) return false;
    submitAnswer(academy, student, { lesson_id, ...answerText(student, courseId, random) });
    return true;
  });
}

export function completeLesson(academy: Academy, student: StudentRecord, lessonId: number): void {
  const lesson = academy.lessons.get(lessonId);
  if (lesson === undefined) throw new Error(`there is no lesson ${lessonId}`);
  const { id } = student;
  const { course_id, points } = lesson;
  const percents = () => [courseCompletion(academy, id, course_id), totalCompletion(academy, id)] as const;
  const [courseBefore, totalBefore] = percents();
  academy.progress.complete(id, course_id, lessonId);
  student.sign_in_count += 1;
  student.points += points ?? 0;
  student.lesson_views_count += 1;
  const [courseNow, totalNow] = percents();
  const course = academy.catalogue.courses.get(course_id)?.title ?? '';
  if (courseBefore < 100 && courseNow >= 100) {
    academy.emit('course_completed', () => ({ ...studentIdentity(student), course, course_id }));
  }
  if (totalBefore < 100 && totalNow >= 100) academy.emit('student_completed', () => studentIdentity(student));
}

function lessonsLeft({ lessons, progress }: Academy, studentId: number, courseId: number): number[] {
  const done = progress.completed(studentId, courseId);
  return [...lessons.publishedIds(courseId)].filter((id) => !done.includes(id));
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
  const id = students.nextId();
  const { name, latin } = pickName(homeOf(key, id).country, random);
  return { name, email: emailOf(latin, id, random, students) };
}

function payOrder(academy: Academy, random: Random): void {
  const [known] = random.chance(0.4) ? [] : randomStudents(academy, random);
  const { cents, title, contents } = createProductPicker(academy.catalogue, random)(known?.id ?? 0);
  const buyer = known ?? registerStudent(academy, newcomer(academy, random));
  const status = random.chance(0.95) ? 'paid' : 'wallet_executed';
  Object.assign(buyer, { enrolled: true, paying_student: true, sign_in_count: buyer.sign_in_count + 1 });
  placeOrder(academy, buyer, { amount: decimal(cents), status, description: title, ...contents });
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

type OrderTerms = Pick<OrderRecord, 'amount' | 'status' | 'description' | 'courses' | 'digital_products' | 'bundles'>;

export function grantedOrder({ catalogue }: Academy, items: OrderItems): OrderTerms {
  const description = `Granted access: ${itemTitles(catalogue, items)}`;
  return { amount: '0.00', status: 'paid', description, ...orderContents(catalogue, items) };
}

export function placeOrder(academy: Academy, student: StudentRecord, terms: OrderTerms): OrderRecord {
  const order = academy.orders.add({
    ...terms,
    currency: accountCurrency,
    student_id: student.id,
    user_email: student.email,
    affiliate_id: null,
    created_at: academy.now().getTime(),
  });
  academy.emit('new_order', () => orderBody(academy, order));
  return order;
}

export function registerStudent(academy: Academy, person: { email: string; name: string }): StudentRecord {
  const student = academy.students.join({ ...person, createdAt: academy.now().getTime() });
  academy.emit('new_student', () => studentIdentity(student));
  return student;
}
