import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { DemoContext } from './demo-context.ts';
import { callText } from './screen.ts';
import type { Course, Sales } from './show-buyers.ts';
import { holdingTable } from './tables.ts';
import { type Diagnosis, diagnosis, type Profile, studentProfile } from './tool-results.ts';

const done = z.object({ outcome: z.literal('applied') });

async function lookUp({ readText, screen }: DemoContext, email: string): Promise<Profile> {
  screen.question(`What does ${email} have?`);
  const { text, data } = await readText(studentProfile, 'student_profile', { email });
  screen.answer([...text.split('\n').slice(0, 1), ...holdingTable(data.holds)]);
  return data;
}

/** Looks up buyers until one does not hold every course: some have bought the pass for all courses. */
async function findStudent(demo: DemoContext, { buyers, courses }: Sales) {
  for (const email of buyers) {
    const { student, holds } = await lookUp(demo, email);
    const course = courses.find(({ id }) => !holds.some(({ product }) => product === `course ${id}`));
    if (course !== undefined) return { student, course };
  }
  throw new Error('every buyer holds every course');
}

async function diagnose({ readText, screen }: DemoContext, email: string, { title }: Course): Promise<Diagnosis> {
  const { text, data } = await readText(diagnosis, 'diagnose_access', { email, product: title });
  screen.answer([
    ...text.split('\n').slice(0, 1),
    ...data.through.map(({ order, how, since }) => `through order ${order}, ${how} on ${since.slice(0, 10)}`),
    ...(data.fix === undefined ? [] : [`fix: ${callText(data.fix.tool, data.fix.arguments)}`]),
  ]);
  return data;
}

/** Makes the call that the diagnosis suggests. */
async function repair({ readText, screen }: DemoContext, { reason, fix }: Diagnosis): Promise<void> {
  if (fix?.tool !== 'enroll_student') throw new Error(`${reason}: an enrollment would not fix that`);
  const { text } = await readText(done, fix.tool, fix.arguments);
  screen.answer(text.split('\n').slice(0, 1));
}

function checkGranted({ holds, through }: Diagnosis, { title }: Course): void {
  if (!holds) throw new Error(`the student does not hold "${title}" after the enrollment`);
  if (!through.some(({ how }) => how === 'granted')) throw new Error('the new order does not count as granted');
}

/** Grants a course to a student. Revoking it is refused without the consent of a person. */
export async function showAccess(demo: DemoContext, sales: Sales): Promise<void> {
  const { screen } = demo;
  screen.heading('Help a student');
  const { student, course } = await findStudent(demo, sales);
  const { email, name } = student;

  screen.question(`Why can ${name} not open “${course.title}”?`);
  const before = await diagnose(demo, email, course);
  if (before.holds) throw new Error(`the student holds "${course.title}" before the enrollment`);

  screen.question('Then give it as a present.');
  await repair(demo, before);
  const enrolled = await diagnose(demo, email, course);
  checkGranted(enrolled, course);
  screen.check('The student holds the course, and its order of amount 0 counts as granted, not as bought.');

  screen.question('Oh no, take it away again!');
  screen.answer((await demo.refusal('revoke_course', { email, name, course_id: course.id })).split('\n'));
  const after = await diagnose(demo, email, course);
  if (!isDeepStrictEqual(after, enrolled)) throw new Error('the refused call changed the student');
  screen.check('Nothing was revoked: without confirm: true, which needs the consent of a person, nothing is sent.');
}
