import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { callText, type DemoContext } from './connection.ts';
import type { Sales } from './sales.ts';

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

/** The lines of a tree with changes, and the number of the others. */
export function changedLists(tree: readonly string[]): string[] {
  const changed = tree.filter((line) => !line.includes(': unchanged ('));
  const left = tree.length - changed.length;
  return [...changed, ...(left > 0 ? [`(${left} more parts of the course stay unchanged)`] : [])];
}

const plannedOutline = z.object({
  base_version: z.string(),
  warnings: z.array(z.string()).default([]),
  /** Lines. */
  tree: z.array(z.string()),
});

const appliedOutline = z.object({
  verified: z.literal(true),
  base_version: z.string(),
  undo_outline: z.looseObject({}),
});

/** Plans and applies the move of a lesson to another module, and then undoes it. */
export async function showLessons(demo: DemoContext, { best: { id, title } }: Sales): Promise<void> {
  const { screen, ask } = demo;

  async function apply(args: object) {
    const spent = demo.count();
    const { first, data } = await ask(appliedOutline, 'apply_course_outline', { ...args, confirm: true });
    screen.answer([first, spent().text]);
    return data;
  }

  async function check(wanted: Order, says: string): Promise<void> {
    const raw = orderOf(await demo.fetchRaw(structure, `courses/${id}/lessons`));
    if (!isDeepStrictEqual(raw, wanted)) throw new Error('the lessons are in another order');
    screen.check(`Read directly from the HTTP API: ${says}`);
  }

  screen.question(`What is in “${title}”?`);
  const { data: before, first } = await ask(structure, 'get_course_structure', { course_id: id });
  const { lesson, to, position } = chooseMove(before);
  screen.answer([first]);

  screen.question(`Move “${lesson.title}” to ${to.name}, to place ${position}. What would that change?`);
  const moves = [{ lesson_id: lesson.id, module_id: to.moduleId, position }];
  const plan = await ask(plannedOutline, 'plan_course_outline', { course_id: id, moves });
  const warnings = plan.data.warnings.map((warning) => `Warning: ${warning}`);
  screen.answer([plan.first, ...warnings, ...changedLists(plan.data.tree)]);

  screen.question('Yes, do that.');
  const done = await apply({ course_id: id, moves, base_version: plan.data.base_version });
  await check(orderAfter(before, { lesson, to, position }), 'every lesson of the course is in the right place.');

  screen.question('I liked it better before. Undo it.');
  await apply({ course_id: id, outline: done.undo_outline, base_version: done.base_version });
  await check(orderOf(before), 'the lessons are in their original order.');
}

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

const written = z.object({ change_id: z.string() });
const changes = z.object({ changes: z.array(z.object({ change_id: z.string(), tool: z.string(), what: z.string() })) });
const undoPlan = z.object({ plan: z.array(z.string()) });
const undone = z.object({ outcome: z.literal('applied'), steps: z.array(z.string()) });
const anything = z.record(z.string(), z.unknown());
const heldOrders = z.object({ orders: z.array(z.object({ amount: z.unknown(), courses: z.array(z.unknown()) })) });

const guest = { email: 'robin.example@example.com', name: 'Robin Example' };

/** Changes a price, the title of a lesson and a student's access, and takes all three back. */
export async function showUndo({ screen, ask, fetchRaw }: DemoContext, { best }: Sales): Promise<void> {
  const read = async () => ({
    product: await fetchRaw(anything, `products/course/${best.id}`),
    lessons: await fetchRaw(structure, `courses/${best.id}/lessons`),
  });
  const before = await read();
  const lessons = [...before.lessons.modules.flatMap((module) => module.lessons), ...before.lessons.ungrouped_lessons];
  const [lesson] = lessons;
  if (lesson === undefined) throw new Error('the course has no lesson');

  screen.question(
    `“${best.title}” costs 12 now, its first lesson is called “Welcome”, and Robin gets it as a present.`,
  );
  const product = { product_type: 'course', id_or_slug: String(best.id), price: '12.00' };
  await ask(anything, 'get_course_structure', { course_id: best.id });
  const done = [
    await ask(written, 'update_product', product),
    await ask(written, 'update_lesson', { lesson_id: lesson.id, title: 'Welcome' }),
    await ask(written, 'enroll_student', { ...guest, course_id: best.id }),
  ];
  screen.answer(done.map(({ first }) => first));

  screen.question('What did you change just now?');
  const listed = await ask(changes, 'list_changes', { limit: 3 });
  screen.answer(listed.data.changes.map(({ tool, what }) => `${tool}: ${what}`));
  const ids = listed.data.changes.map(({ change_id }) => change_id);
  if (!isDeepStrictEqual(new Set(ids), new Set(done.map(({ data }) => data.change_id))))
    throw new Error('list_changes shows other changes');

  screen.question('Undo all three.');
  screen.answer((await ask(undoPlan, 'undo_change', { change_ids: ids })).data.plan);
  const { data, first } = await ask(undone, 'undo_change', { change_ids: ids, confirm: true });
  screen.answer([first, ...data.steps]);
  if (!isDeepStrictEqual(withoutTimes(await read()), withoutTimes(before))) throw new Error('the course differs');
  const own = await fetchRaw(
    heldOrders,
    `orders?status=all&user_email=${encodeURIComponent(guest.email)}&per_page=10&page=1`,
  );
  if (own.orders.length !== 1 || own.orders.some((order) => order.courses.length > 0))
    throw new Error('the student still holds the course');
  screen.check(
    'Price and title are as before. Robin holds nothing more; the order of amount 0 stays, empty: no order can be deleted.',
  );
}

const withoutTimes = (value: object) =>
  JSON.parse(JSON.stringify(value, (key, one) => (key === 'updated_at' ? undefined : one)));

const rosterPlan = z.object({ plan: z.array(z.string()) });
const enrolled = z.object({ totals: z.record(z.string(), z.int()), rows: z.record(z.string(), z.string()) });
const rawOrders = z.object({
  orders: z.array(
    z.object({ user_email: z.string(), status: z.string(), courses: z.array(z.object({ id: z.int() })) }),
  ),
});

/** Rows of the list with people who hold the course already. */
const known = 26;

/** Gives a course to a class of 30 rows, as a spreadsheet has it, and checks the class against the raw orders. */
export async function showRoster({ screen, ask, fetchRaw }: DemoContext, { best }: Sales): Promise<void> {
  const holders = async () => {
    const { orders } = await fetchRaw(rawOrders, 'orders?status=all');
    const own = orders.filter(
      ({ status, courses }) => /paid|wallet/.test(status) && courses.some(({ id }) => id === best.id),
    );
    return [...new Set(own.map(({ user_email }) => user_email.toLowerCase()))];
  };
  const before = await holders();
  const old = before.slice(0, known).map((email) => `${email};`);
  const fresh = ['Ada', 'Ben', 'Cleo'].map((name) => `${name.toLowerCase()}.example@example.com;${name} Example`);
  const csv = ['E-Mail;Name', ...old, ...fresh, 'dora.example@;Dora Example'].join('\r\n');
  screen.question(`This is the class of “${best.title}” now: ${old.length + fresh.length + 1} rows. Is everybody in?`);
  const asked = { product: `course ${best.id}`, csv };
  const planned = await ask(rosterPlan, 'sync_roster', asked);
  screen.answer(planned.data.plan.slice(1));
  screen.question('Yes, add them.');
  const { data, first } = await ask(enrolled, 'sync_roster', { ...asked, confirm: true });
  screen.answer([first, ...Object.entries(data.rows).map(([state, rows]) => `${state}: rows ${rows}`)]);
  const after = new Set(await holders());
  const isRight = after.size === before.length + fresh.length && before.every((email) => after.has(email));
  if (!isRight || data.totals.applied !== fresh.length) throw new Error('the class is not as its list');
  screen.check(
    `The raw orders show the course with these ${fresh.length} more people, and with everybody from before.`,
  );
}
