import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { DemoContext } from './connection.ts';
import { fetchOrders, isPaid, type Sales } from './sales.ts';

const lessons = z.array(z.object({ id: z.int(), title: z.string() })).default([]);

/** The fields of get_course_structure, and of the HTTP API behind it, that a move needs. */
export const structure = z.object({
  modules: z.array(z.object({ id: z.int(), title: z.string(), lessons })).default([]),
  ungrouped_lessons: lessons,
});

type Structure = z.output<typeof structure>;

/** The lists of lessons: that of each module, and the lessons without one. */
function listsIn({ modules, ungrouped_lessons }: Structure) {
  const grouped = modules.map(({ id, title, lessons }) => ({ moduleId: id, name: `the module “${title}”`, lessons }));
  return [...grouped, { moduleId: null, name: 'no module', lessons: ungrouped_lessons }];
}

/**
 * Moves the last lesson of the first list with several lessons to position 2 of another list. Its sequence number is in use
 * there, so that there is something to plan. Throws if no lesson can move.
 */
export function chooseMove(course: Structure) {
  const lists = listsIn(course);
  const from = lists.find(({ lessons }) => lessons.length > 1);
  const to = lists.find((list) => list !== from);
  const lesson = from?.lessons.at(-1);
  if (to === undefined || lesson === undefined) throw new Error('the course has no lesson to move');
  return { lesson, to, position: Math.min(2, to.lessons.length + 1) };
}

/** Lesson ids of each list, in order. */
type Order = readonly (readonly number[])[];

export function orderOf(course: Structure): Order {
  return listsIn(course).map(({ lessons }) => lessons.map(({ id }) => id));
}

/** The expected order after a move, computed without the planner: one id is removed and inserted. */
export function orderAfter(course: Structure, { lesson, to, position }: ReturnType<typeof chooseMove>): Order {
  return listsIn(course).map(({ moduleId, lessons }) => {
    const ids = lessons.map(({ id }) => id).filter((id) => id !== lesson.id);
    return moduleId === to.moduleId ? ids.toSpliced(position - 1, 0, lesson.id) : ids;
  });
}

const appliedOutline = z.object({
  verified: z.literal(true),
  base_version: z.string(),
  undo_outline: z.looseObject({}),
});

/** Plans and applies the move of a lesson to another module, and then undoes it. */
export async function showLessons(demo: DemoContext, { best: { id, title } }: Sales): Promise<void> {
  const apply = (args: object) => demo.ask(appliedOutline, 'apply_course_outline', { ...args, confirm: true });

  async function check(wanted: Order, says: string): Promise<void> {
    const raw = orderOf(await demo.fetchRaw(structure, `courses/${id}/lessons`));
    if (!isDeepStrictEqual(raw, wanted)) throw new Error('the lessons are in another order');
    demo.check(`Read directly from the HTTP API: ${says}`);
  }

  demo.question(`What is in “${title}”?`);
  const before = await demo.ask(structure, 'get_course_structure', { course_id: id });
  const move = chooseMove(before);
  const { lesson, to, position } = move;

  demo.question(`Move “${lesson.title}” to ${to.name}, to place ${position}. What would that change?`);
  const moves = [{ lesson_id: lesson.id, module_id: to.moduleId, position }];
  const planned = z.object({ base_version: z.string() });
  // The plan is shown whole.
  const { base_version } = await demo.ask(planned, 'plan_course_outline', { course_id: id, moves }, Infinity);

  demo.question('Yes, do that.');
  const done = await apply({ course_id: id, moves, base_version });
  await check(orderAfter(before, move), 'every lesson of the course is in the right place.');

  demo.question('I liked it better before. Undo it.');
  await apply({ course_id: id, outline: done.undo_outline, base_version: done.base_version });
  await check(orderOf(before), 'the lessons are in their original order.');
}

const studentProfile = z.object({
  student: z.object({ email: z.string(), name: z.string() }),
  holds: z.array(z.object({ product: z.string() })).default([]),
});

const toolCall = z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) });

const diagnosis = z.object({
  holds: z.boolean(),
  reason: z.string(),
  through: z.array(z.object({ order: z.string(), how: z.string() })).default([]),
  fix: toolCall.or(z.object({ or_grant_free: toolCall }).transform(({ or_grant_free }) => or_grant_free)).optional(),
});

/** Looks up buyers until one does not hold every course: some have bought the pass for all courses. */
async function findStudent({ question, ask }: DemoContext, { buyers, courses }: Sales) {
  for (const email of buyers) {
    question(`What does ${email} have?`);
    const { student, holds } = await ask(studentProfile, 'student_profile', { email });
    const course = courses.find(({ id }) => !holds.some(({ product }) => product === `course ${id}`));
    if (course !== undefined) return { student, course };
  }
  throw new Error('every buyer holds every course');
}

/** Grants a course to a student. Revoking it is refused without the consent of a person. */
export async function showAccess(demo: DemoContext, sales: Sales): Promise<void> {
  const { student, course } = await findStudent(demo, sales);
  const { email, name } = student;
  const diagnose = () => demo.ask(diagnosis, 'diagnose_access', { email, product: course.title });

  demo.question(`Why can ${name} not open “${course.title}”?`);
  const { holds, reason, fix } = await diagnose();
  if (holds) throw new Error(`the student holds "${course.title}" before the enrollment`);

  demo.question('Then give it as a present.');
  if (fix?.tool !== 'enroll_student') throw new Error(`${reason}: an enrollment would not fix that`);
  await demo.ask(z.object({ outcome: z.literal('applied') }), fix.tool, fix.arguments);
  const enrolled = await diagnose();
  if (!enrolled.holds) throw new Error(`the student does not hold "${course.title}" after the enrollment`);
  if (!enrolled.through.some(({ how }) => how === 'granted'))
    throw new Error('the new order does not count as granted');
  demo.check('The student holds the course, and its order of amount 0 counts as granted, not as bought.');

  demo.question('Oh no, take it away again!');
  await demo.refusal('revoke_course', { email, name, course_id: course.id });
  if (!isDeepStrictEqual(await diagnose(), enrolled)) throw new Error('the refused call changed the student');
  demo.check('Nothing was revoked: without confirm: true, which needs the consent of a person, nothing is sent.');
}

const written = z.object({ change_id: z.string() });
const changes = z.object({ changes: z.array(written) });
const anything = z.record(z.string(), z.unknown());

const guest = { email: 'robin.example@example.com', name: 'Robin Example' };

const withoutTimes = (value: object) =>
  JSON.parse(JSON.stringify(value, (key, one) => (key === 'updated_at' ? undefined : one)));

/** Changes a price, the title of a lesson and a student's access, and takes all three back. */
export async function showUndo(demo: DemoContext, { best }: Sales): Promise<void> {
  const { ask, fetchRaw } = demo;
  const read = async () => ({
    product: await fetchRaw(anything, `products/course/${best.id}`),
    lessons: await fetchRaw(structure, `courses/${best.id}/lessons`),
  });
  const before = await read();
  const [lesson] = listsIn(before.lessons).flatMap((list) => list.lessons);
  if (lesson === undefined) throw new Error('the course has no lesson');

  demo.question(`“${best.title}” costs 12 now, its first lesson is called “Welcome”, and Robin gets it as a present.`);
  const product = { product_type: 'course', id_or_slug: String(best.id), price: '12.00' };
  // The writes show what they change only if the lesson was read before.
  await ask(anything, 'get_course_structure', { course_id: best.id });
  const done = [
    await ask(written, 'update_product', product),
    await ask(written, 'update_lesson', { lesson_id: lesson.id, title: 'Welcome' }),
    await ask(written, 'enroll_student', { ...guest, course_id: best.id }),
  ];

  demo.question('What did you change just now?');
  const listed = await ask(changes, 'list_changes', { limit: 3 });
  const idsOf = (list: readonly z.output<typeof written>[]) => list.map(({ change_id }) => change_id);
  const ids = idsOf(listed.changes);
  if (!isDeepStrictEqual(new Set(ids), new Set(idsOf(done)))) throw new Error('list_changes shows other changes');

  demo.question('Undo all three.');
  await ask(anything, 'undo_change', { change_ids: ids });
  await ask(z.object({ outcome: z.literal('applied') }), 'undo_change', { change_ids: ids, confirm: true });
  if (!isDeepStrictEqual(withoutTimes(await read()), withoutTimes(before))) throw new Error('the course differs');
  const own = (await fetchOrders(demo)).filter(({ user_email }) => user_email === guest.email);
  if (own.length !== 1 || own.some((order) => order.courses.length > 0))
    throw new Error('the student still holds the course');
  demo.check(
    'Price and title are as before. Robin holds nothing more; the order of amount 0 stays, empty: no order can be deleted.',
  );
}

/** Rows of the list with people who hold the course already. */
const known = 26;

/** Gives a course to a class of 30 rows, as a spreadsheet has it, and checks the class against the raw orders. */
export async function showRoster(demo: DemoContext, { best }: Sales): Promise<void> {
  const holders = async () => {
    const own = (await fetchOrders(demo)).filter((one) => isPaid(one) && one.courses.some(({ id }) => id === best.id));
    return [...new Set(own.map(({ user_email }) => user_email.toLowerCase()))];
  };
  const before = await holders();
  const old = before.slice(0, known).map((email) => `${email};`);
  const fresh = ['Ada', 'Ben', 'Cleo'].map((name) => `${name.toLowerCase()}.example@example.com;${name} Example`);
  const csv = ['E-Mail;Name', ...old, ...fresh, 'dora.example@;Dora Example'].join('\r\n');
  demo.question(`This is the class of “${best.title}” now: ${old.length + fresh.length + 1} rows. Is everybody in?`);
  const asked = { product: `course ${best.id}`, csv };
  await demo.ask(anything, 'sync_roster', asked);
  demo.question('Yes, add them.');
  const enrolled = z.object({ totals: z.record(z.string(), z.int()) });
  const { totals } = await demo.ask(enrolled, 'sync_roster', { ...asked, confirm: true });
  const after = new Set(await holders());
  const isRight = after.size === before.length + fresh.length && before.every((email) => after.has(email));
  if (!isRight || totals.applied !== fresh.length) throw new Error('the class is not as its list');
  demo.check(`The raw orders show the course with these ${fresh.length} more people, and with everybody from before.`);
}
