import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { DemoContext } from './connection.ts';
import type { Course } from './sales.ts';

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
export async function showLessons(demo: DemoContext, { id, title }: Course): Promise<void> {
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

  screen.heading('Restructure a course');
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
