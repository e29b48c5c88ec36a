import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { structure } from './changes.ts';
import type { DemoContext } from './connection.ts';
import type { Sales } from './sales.ts';

const written = z.object({ change_id: z.string() });
const changes = z.object({ changes: z.array(z.object({ change_id: z.string(), tool: z.string(), what: z.string() })) });
const plan = z.object({ plan: z.array(z.string()) });
const undone = z.object({ outcome: z.literal('applied'), steps: z.array(z.string()) });
const anything = z.record(z.string(), z.unknown());
const orders = z.object({ orders: z.array(z.object({ amount: z.unknown(), courses: z.array(z.unknown()) })) });

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
  screen.answer((await ask(plan, 'undo_change', { change_ids: ids })).data.plan);
  const { data, first } = await ask(undone, 'undo_change', { change_ids: ids, confirm: true });
  screen.answer([first, ...data.steps]);
  if (!isDeepStrictEqual(withoutTimes(await read()), withoutTimes(before))) throw new Error('the course differs');
  const own = await fetchRaw(
    orders,
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
