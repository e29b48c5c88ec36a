import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { dayMs } from '../../shared/durations.ts';
import type { DemoContext } from './connection.ts';

// The demo as a script: each step asks the tools and compares the result with the raw records of the HTTP API. A wrong answer
// is an error.

/** Results of the first step for the later ones. */
interface Sales {
  /** Courses that were sold, the best seller first. */
  readonly courses: readonly { readonly id: number; readonly title: string }[];
  readonly best: { readonly id: number; readonly title: string };
  /** Emails. */
  readonly buyers: readonly string[];
}

const anything = z.record(z.string(), z.unknown());

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

const order = z.object({
  status: z.string(),
  user_email: z.string().toLowerCase(),
  amount: z.string(),
  created_at: z.string(),
  courses: z.array(z.object({ id: z.int() })),
});

type RawOrder = z.output<typeof order>;
type Raw = Pick<DemoContext, 'fetchRaw'>;

async function fetchOrders({ fetchRaw }: Raw): Promise<RawOrder[]> {
  return (await fetchRaw(z.object({ orders: z.array(order) }), 'orders?status=all')).orders;
}

const isPaid = ({ status }: RawOrder) => status === 'paid' || status === 'wallet_executed';
const isBought = (one: RawOrder) => isPaid(one) && /[1-9]/.test(one.amount);
const hasCourse = (id: number) => (one: RawOrder) => one.courses.some((course) => course.id === id);

const foundBuyers = z.object({
  product: z.object({ id: z.int() }),
  period: z.object({ from: z.iso.datetime(), to: z.iso.datetime() }),
  totals: z.object({ orders: z.int(), granted_excluded: z.int() }),
  buyers: z.array(z.object({ email: z.string() })).default([]),
  coverage: z.object({ complete: z.literal(true) }),
});

/** Answers the same question from the raw orders. Throws if the answer differs; returns the number of orders read. */
export async function checkBuyers(raw: Raw, answer: Omit<z.output<typeof foundBuyers>, 'coverage'>): Promise<number> {
  const { product, period, totals, buyers } = answer;
  const all = await fetchOrders(raw);
  const isIn = ({ created_at: at }: RawOrder) =>
    Date.parse(at) >= Date.parse(period.from) && Date.parse(at) < Date.parse(period.to);
  const paid = all.filter((one) => isPaid(one) && isIn(one) && hasCourse(product.id)(one));
  const bought = paid.filter(isBought);
  const found = [...new Set(bought.map(({ user_email }) => user_email))].sort();
  const expected = { orders: bought.length, granted: paid.length - bought.length, found };
  const shown = buyers.map(({ email }) => email.toLowerCase()).sort();
  const answered = { orders: totals.orders, granted: totals.granted_excluded, found: shown };
  const message = `the answer counts ${totals.orders} purchases, the raw orders hold ${bought.length} (or other buyers)`;
  expectThat(isDeepStrictEqual(answered, expected), message);
  return all.length;
}

const report = z.object({ groups: z.array(z.object({ key: z.string(), label: z.string().default('') })) });

/** Asks who bought the best seller last week. */
export async function showBuyers(demo: DemoContext): Promise<Sales> {
  demo.question('What sold last week?');
  const { groups } = await demo.ask(report, 'sales_report', { period: 'last_week', group_by: 'product' });
  const courses = groups.flatMap(({ key, label: title }) => {
    const [, id] = /^course (\d+)$/.exec(key) ?? [];
    return id === undefined ? [] : [{ id: Number(id), title }];
  });
  const [best] = courses;
  if (best === undefined) throw new Error('no course was sold in the last week');

  demo.question(`Who bought “${best.title}” last week?`);
  const found = await demo.ask(foundBuyers, 'find_buyers', { product: best.title, period: 'last_week' });
  const all = await checkBuyers(demo, found);
  const { orders, granted_excluded: granted } = found.totals;
  demo.check(
    `A direct count over all ${all} raw orders of the HTTP API finds the same ${orders} purchases by ${found.buyers.length} buyers. Access that an admin granted is not a purchase (excluded: ${granted}).`,
  );
  return { courses, best, buyers: found.buyers.map(({ email }) => email) };
}

const lessons = z.array(z.object({ id: z.int(), title: z.string() })).default([]);
const structure = z.object({
  modules: z.array(z.object({ id: z.int(), title: z.string(), lessons })).default([]),
  ungrouped_lessons: lessons,
});

/** The lists of lessons: that of each module, and the lessons without one. */
function listsIn({ modules, ungrouped_lessons }: z.output<typeof structure>) {
  const grouped = modules.map(({ id, title, lessons }) => ({ module: id, name: `the module “${title}”`, lessons }));
  return [...grouped, { module: null, name: 'no module', lessons: ungrouped_lessons }];
}

const appliedOutline = z.object({ verified: z.literal(true), base_version: z.string(), undo_outline: anything });

/** Moves the last lesson of a module to a place that is taken in another one, and undoes it. */
async function showLessons(demo: DemoContext, { best: { id, title } }: Sales): Promise<void> {
  const idsIn = (lists: ReturnType<typeof listsIn>) => lists.map((list) => list.lessons.map((lesson) => lesson.id));
  const apply = (args: object) => demo.ask(appliedOutline, 'apply_course_outline', { ...args, confirm: true });

  async function check(wanted: number[][], says: string): Promise<void> {
    const raw = listsIn(await demo.fetchRaw(structure, `courses/${id}/lessons`));
    expectThat(isDeepStrictEqual(idsIn(raw), wanted), 'the lessons are in another order');
    demo.check(`Read directly from the HTTP API: ${says}`);
  }

  demo.question(`What is in “${title}”?`);
  const lists = listsIn(await demo.ask(structure, 'get_course_structure', { course_id: id }));
  const before = idsIn(lists);
  const from = lists.find((list) => list.lessons.length > 1);
  const to = lists.find((list) => list !== from);
  const lesson = from?.lessons.at(-1);
  if (to === undefined || lesson === undefined) throw new Error('the course has no lesson to move');
  const position = Math.min(2, to.lessons.length + 1);

  demo.question(`Move “${lesson.title}” to ${to.name}, to place ${position}. What would that change?`);
  const moves = [{ lesson_id: lesson.id, module_id: to.module, position }];
  const planned = z.object({ base_version: z.string() });
  // The plan is shown whole.
  const { base_version } = await demo.ask(planned, 'plan_course_outline', { course_id: id, moves }, Infinity);

  demo.question('Yes, do that.');
  const done = await apply({ course_id: id, moves, base_version });
  const after = before.map((ids, list) => {
    const others = ids.filter((one) => one !== lesson.id);
    return lists[list] === to ? others.toSpliced(position - 1, 0, lesson.id) : others;
  });
  await check(after, 'every lesson of the course is in the right place.');

  demo.question('I liked it better before. Undo it.');
  await apply({ course_id: id, outline: done.undo_outline, base_version: done.base_version });
  await check(before, 'the lessons are in their original order.');
}

const profile = z.object({
  student: z.object({ email: z.string(), name: z.string() }),
  holds: z.array(z.object({ product: z.string() })).default([]),
});

const toolCall = z.object({ tool: z.literal('enroll_student'), arguments: anything });
const diagnosis = z.object({
  holds: z.boolean(),
  through: z.array(z.object({ order: z.string(), how: z.string() })).default([]),
  fix: toolCall.or(z.object({ or_grant_free: toolCall }).transform((fix) => fix.or_grant_free)).optional(),
});

/** Looks up buyers until one does not hold every course: some have bought the pass for all courses. */
async function findStudent({ question, ask }: DemoContext, { buyers, courses }: Sales) {
  for (const email of buyers) {
    question(`What does ${email} have?`);
    const { student, holds } = await ask(profile, 'student_profile', { email });
    const course = courses.find(({ id }) => !holds.some(({ product }) => product === `course ${id}`));
    if (course !== undefined) return { ...student, course };
  }
  throw new Error('every buyer holds every course');
}

/** Grants a course to a student. Revoking it is refused without the consent of a person. */
async function showAccess(demo: DemoContext, sales: Sales): Promise<void> {
  const { email, name, course } = await findStudent(demo, sales);
  const diagnose = () => demo.ask(diagnosis, 'diagnose_access', { email, product: course.title });

  demo.question(`Why can ${name} not open “${course.title}”?`);
  const { fix } = await diagnose();
  if (fix === undefined) throw new Error('the answer has no enrollment that would fix it');

  demo.question('Then give it as a present.');
  await demo.ask(z.object({ outcome: z.literal('applied') }), fix.tool, fix.arguments);
  const enrolled = await diagnose();
  const isGranted = enrolled.holds && enrolled.through.some(({ how }) => how === 'granted');
  expectThat(isGranted, `the student does not hold "${course.title}" as granted after the enrollment`);
  demo.check('The student holds the course, and its order of amount 0 counts as granted, not as bought.');

  demo.question('Oh no, take it away again!');
  await demo.refusal('revoke_course', { email, name, course_id: course.id });
  expectThat(isDeepStrictEqual(await diagnose(), enrolled), 'the refused call changed the student');
  demo.check('Nothing was revoked: without confirm: true, which needs the consent of a person, nothing is sent.');
}

const written = z.object({ change_id: z.string() });
const guest = { email: 'robin.example@example.com', name: 'Robin Example' };
const withoutTimes = (value: object) => JSON.stringify(value, (key, one) => (key === 'updated_at' ? undefined : one));

/** Changes a price, the title of a lesson and a student's access, and takes all three back. */
async function showUndo(demo: DemoContext, { best: { id, title } }: Sales): Promise<void> {
  const { ask, fetchRaw } = demo;
  const readCourse = async () => [
    withoutTimes(await fetchRaw(anything, `products/course/${id}`)),
    withoutTimes(await fetchRaw(anything, `courses/${id}/lessons`)),
  ];
  const before = await readCourse();

  demo.question(`“${title}” costs 12 now, its first lesson is called “Welcome”, and Robin gets it as a present.`);
  // The writes show what they change only if the lesson was read before.
  const course = await ask(structure, 'get_course_structure', { course_id: id });
  const [lesson] = listsIn(course).flatMap((list) => list.lessons);
  await ask(written, 'update_product', { product_type: 'course', id_or_slug: String(id), price: '12.00' });
  await ask(written, 'update_lesson', { lesson_id: lesson?.id, title: 'Welcome' });
  await ask(written, 'enroll_student', { ...guest, course_id: id });

  demo.question('What did you change just now?');
  const { changes } = await ask(z.object({ changes: z.array(written).length(3) }), 'list_changes', { limit: 3 });
  const change_ids = changes.map((change) => change.change_id);

  demo.question('Undo all three.');
  await ask(anything, 'undo_change', { change_ids });
  await ask(z.object({ outcome: z.literal('applied') }), 'undo_change', { change_ids, confirm: true });
  expectThat(isDeepStrictEqual(await readCourse(), before), 'the course differs after the undo');
  const own = (await fetchOrders(demo)).filter(({ user_email }) => user_email === guest.email);
  expectThat(own.length === 1 && own[0]?.courses.length === 0, 'the student still holds the course');
  demo.check(
    'Price and title are as before. Robin holds nothing more; the order of amount 0 stays, empty: no order can be deleted.',
  );
}

/** Rows of the list with people who hold the course already. */
const known = 26;

/** Gives a course to a class of 30 rows, as a spreadsheet has it. */
async function showRoster(demo: DemoContext, { best: { id, title } }: Sales): Promise<void> {
  const holders = async () => {
    const own = (await fetchOrders(demo)).filter((one) => isPaid(one) && hasCourse(id)(one));
    return new Set(own.map(({ user_email }) => user_email));
  };
  const before = await holders();
  const old = [...before].slice(0, known).map((email) => `${email};`);
  const added = ['ada.example@example.com', 'ben.example@example.com', 'cleo.example@example.com'];
  const rows = [...old, ...added.map((email) => `${email};Example Student`), 'dora.example@;Example Student'];
  const args = { product: `course ${id}`, csv: ['E-Mail;Name', ...rows].join('\r\n') };
  demo.question(`This is the class of “${title}” now: ${rows.length} rows. Is everybody in?`);
  await demo.ask(anything, 'sync_roster', args);
  demo.question('Yes, add them.');
  const applied = z.object({ totals: z.looseObject({ applied: z.literal(added.length) }) });
  await demo.ask(applied, 'sync_roster', { ...args, confirm: true });
  expectThat(isDeepStrictEqual(await holders(), new Set([...before, ...added])), 'the class is not as its list');
  demo.check(`The raw orders show the course with these ${added.length} more people, and with everybody from before.`);
}

/** The mirror begins with the last seven days, today included. */
const daysBefore = 6;

const repeatBuyers = z.object({ rows: z.array(z.object({ email: z.string(), orders: z.int() })).default([]) });

/** Asks a question that no tool foresees, with SQL over a copy of the academy. */
async function askAnything(demo: DemoContext): Promise<void> {
  const since = new Date(Date.now() - daysBefore * dayMs).toISOString().slice(0, 10);
  demo.question(`Who has bought on more than one day since ${since}?`);
  await demo.ask(z.object({ finished: z.literal(true) }), 'refresh_data');
  const sql = `SELECT email_key AS email, count(*) AS orders FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 AND day >= '${since}' GROUP BY email_key HAVING count(DISTINCT day) > 1 ORDER BY orders DESC, email`;
  demo.say(`    ${sql}`);
  const { rows } = await demo.ask(repeatBuyers, 'query_data', { sql });
  const daysOf = new Map<string, string[]>();
  for (const one of await fetchOrders(demo)) {
    const day = one.created_at.slice(0, 10);
    if (isBought(one) && day >= since) daysOf.set(one.user_email, [...(daysOf.get(one.user_email) ?? []), day]);
  }
  const repeated = [...daysOf].filter(([, days]) => new Set(days).size > 1);
  const expected = new Map(repeated.map(([email, days]) => [email, days.length]));
  const answered = new Map(rows.map(({ email, orders }) => [email, orders]));
  expectThat(isDeepStrictEqual(answered, expected), 'the raw orders hold other buyers than the copy');
  demo.check(`A direct count over all raw orders of the HTTP API finds the same ${rows.length} buyers.`);
}

/** What follows the question who bought the best seller. */
export const steps: readonly { title: string; run(demo: DemoContext, sales: Sales): Promise<void> }[] = [
  { title: 'Restructure a course', run: showLessons },
  { title: 'Help a student', run: showAccess },
  { title: 'Take changes back', run: showUndo },
  { title: 'Enroll a class from a spreadsheet', run: showRoster },
  { title: 'Ask anything', run: askAnything },
];
