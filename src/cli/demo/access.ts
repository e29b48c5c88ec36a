import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { DemoContext } from './connection.ts';
import type { Sales } from './sales.ts';
import { callText } from './screen.ts';

const holding = z.object({
  product: z.string(),
  title: z.string().default(''),
  how: z.string(),
  via: z.string().optional(),
  since: z.string().default(''),
  course_completion_percent: z.int().optional(),
});

const studentProfile = z.object({
  student: z.object({ email: z.string(), name: z.string() }),
  holds: z.array(holding).default([]),
});

const toolCall = z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) });

const diagnosis = z.object({
  holds: z.boolean(),
  reason: z.string(),
  through: z.array(z.object({ order: z.string(), how: z.string(), since: z.string().default('') })).default([]),
  fix: toolCall.or(z.object({ or_grant_free: toolCall }).transform(({ or_grant_free }) => or_grant_free)).optional(),
});

/** One line for each product that a student holds. */
export function holdingLines(holdings: readonly z.output<typeof holding>[]): string[] {
  return holdings.map(({ product, title, how, via, since, course_completion_percent: percent }) => {
    const bundle = via === undefined ? '' : ` via ${via}`;
    const progress = percent === undefined ? '' : `, ${percent}% completed`;
    return `${product} “${title}”: ${how}${bundle}${since === '' ? '' : ` on ${since.slice(0, 10)}`}${progress}`;
  });
}

/** Looks up buyers until one does not hold every course: some have bought the pass for all courses. */
async function findStudent({ screen, ask }: DemoContext, { buyers, courses }: Sales) {
  for (const email of buyers) {
    screen.question(`What does ${email} have?`);
    const { first, data } = await ask(studentProfile, 'student_profile', { email });
    screen.answer([first, ...holdingLines(data.holds)]);
    const course = courses.find(({ id }) => !data.holds.some(({ product }) => product === `course ${id}`));
    if (course !== undefined) return { student: data.student, course };
  }
  throw new Error('every buyer holds every course');
}

/** Grants a course to a student. Revoking it is refused without the consent of a person. */
export async function showAccess(demo: DemoContext, sales: Sales): Promise<void> {
  const { screen, ask } = demo;
  screen.heading('Help a student');
  const { student, course } = await findStudent(demo, sales);
  const { email, name } = student;

  async function diagnose() {
    const { first, data } = await ask(diagnosis, 'diagnose_access', { email, product: course.title });
    screen.answer([
      first,
      ...data.through.map(({ order, how, since }) => `through order ${order}, ${how} on ${since.slice(0, 10)}`),
      ...(data.fix === undefined ? [] : [`fix: ${callText(data.fix.tool, data.fix.arguments)}`]),
    ]);
    return data;
  }

  screen.question(`Why can ${name} not open “${course.title}”?`);
  const { holds, reason, fix } = await diagnose();
  if (holds) throw new Error(`the student holds "${course.title}" before the enrollment`);

  screen.question('Then give it as a present.');
  if (fix?.tool !== 'enroll_student') throw new Error(`${reason}: an enrollment would not fix that`);
  screen.answer([(await ask(z.object({ outcome: z.literal('applied') }), fix.tool, fix.arguments)).first]);
  const enrolled = await diagnose();
  if (!enrolled.holds) throw new Error(`the student does not hold "${course.title}" after the enrollment`);
  if (!enrolled.through.some(({ how }) => how === 'granted'))
    throw new Error('the new order does not count as granted');
  screen.check('The student holds the course, and its order of amount 0 counts as granted, not as bought.');

  screen.question('Oh no, take it away again!');
  screen.answer((await demo.refusal('revoke_course', { email, name, course_id: course.id })).split('\n'));
  if (!isDeepStrictEqual(await diagnose(), enrolled)) throw new Error('the refused call changed the student');
  screen.check('Nothing was revoked: without confirm: true, which needs the consent of a person, nothing is sent.');
}
