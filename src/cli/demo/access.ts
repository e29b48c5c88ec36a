import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Sales } from './buyers.ts';
import { orderPage } from './orders.ts';
import { type Course, plural } from './purchases.ts';
import type { Stage } from './stage.ts';

const studentDetails = z.looseObject({
  name: z.string(),
  email: z.string(),
  /** Course id to title. */
  enrolled_courses: z.record(z.string(), z.string()).default({}),
  paid_orders: z.array(z.looseObject({ granted: z.boolean().default(false) })).default([]),
});

type Student = z.output<typeof studentDetails>;

const done = z.object({ outcome: z.literal('applied') });

async function lookUp({ read, screen }: Stage, email: string): Promise<Student> {
  const student = await read(studentDetails, 'get_student_details', { email });
  const granted = student.paid_orders.filter((order) => order.granted).length;
  const titles = Object.values(student.enrolled_courses);
  screen.answer([
    `${student.name}: ${plural(student.paid_orders.length - granted, 'purchase')}, ${granted} granted`,
    `${plural(titles.length, 'course')}: ${titles.join(', ')}`,
  ]);
  return student;
}

/** Looks buyers up until one does not hold everything: some have bought the pass for all courses. */
async function findStudent(stage: Stage, { buyers, courses }: Sales): Promise<{ student: Student; course: Course }> {
  for (const email of buyers) {
    const student = await lookUp(stage, email);
    const course = courses.find(({ id }) => !(id in student.enrolled_courses));
    if (course !== undefined) return { student, course };
  }
  throw new Error('every buyer holds every course');
}

async function checkGranted(stage: Stage, { email }: Student, course: Course): Promise<void> {
  const { orders } = await stage.read(orderPage, 'list_orders', { user_email: email });
  const order = orders.find(({ granted, bought }) => granted && `course ${course.id}` in bought);
  if (order === undefined) throw new Error('the granted access is not among the orders');
  stage.screen.answer([
    `order ${order.id}: ${order.amount} ${order.currency}, granted, ${Object.values(order.bought).join(', ')}`,
  ]);
}

function checkHeld({ enrolled_courses }: Student, { id, title }: Course): void {
  if (!(id in enrolled_courses)) throw new Error(`the student does not hold "${title}" after the enrolment`);
}

/** A student gets a course; taking it away is refused until a person has agreed. */
export async function showAccess(stage: Stage, sales: Sales): Promise<void> {
  const { screen } = stage;
  screen.heading('Care for a student');
  screen.question(`What does ${sales.buyers[0]} have?`);
  const { student, course } = await findStudent(stage, sales);
  const { email, name } = student;

  screen.question(`Give ${name} “${course.title}” as a present.`);
  const { text } = await stage.readText(done, 'enroll_student', { email, course_id: course.id });
  screen.answer(text.split('\n').slice(0, 1));
  const enrolled = await lookUp(stage, email);
  checkHeld(enrolled, course);
  await checkGranted(stage, student, course);
  screen.check('The course is there, and its order of amount 0 counts as granted, not as bought.');

  screen.question('Oh no, take it away again!');
  screen.answer((await stage.refusal('revoke_course', { email, name, course_id: course.id })).split('\n'));
  if (!isDeepStrictEqual(await lookUp(stage, email), enrolled)) throw new Error('the refused call changed the student');
  screen.check('Nothing was taken: without confirm: true, which a person has to agree to, nothing is sent.');
}
