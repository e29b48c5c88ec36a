import { isDeepStrictEqual } from 'node:util';
import { chooseMove, fetchOrder, type Order, orderAfter, orderOf, structure } from './course-structure.ts';
import { costText, type DemoContext } from './demo-context.ts';
import type { Course } from './show-buyers.ts';
import { appliedOutline, plannedOutline } from './tool-results.ts';

/** The lines of a tree with changes, and the number of the others. */
export function changedLists(tree: readonly string[]): string[] {
  const changed = tree.filter((line) => !line.includes(': unchanged ('));
  const left = tree.length - changed.length;
  return [...changed, ...(left > 0 ? [`(${left} more parts of the course stay unchanged)`] : [])];
}

async function plan({ readText, screen }: DemoContext, args: Record<string, unknown>): Promise<string> {
  const { text, data } = await readText(plannedOutline, 'plan_course_outline', args);
  const warnings = data.warnings.map((warning) => `Warning: ${warning}`);
  screen.answer([...text.split('\n').slice(0, 1), ...warnings, ...changedLists(data.tree)]);
  return data.base_version;
}

async function apply({ readText, screen, count }: DemoContext, args: Record<string, unknown>) {
  const spent = count();
  const { text, data } = await readText(appliedOutline, 'apply_course_outline', { ...args, confirm: true });
  screen.answer([...text.split('\n').slice(0, 1), costText(spent())]);
  return data;
}

async function checkOrder(demo: DemoContext, { id }: Course, wanted: Order, holds: string): Promise<void> {
  if (!isDeepStrictEqual(await fetchOrder(demo, id), wanted)) throw new Error('the lessons are in another order');
  demo.screen.check(`Read directly from the HTTP API: ${holds}`);
}

/** Plans and applies the move of a lesson to another module, and then undoes it. */
export async function showLessons(demo: DemoContext, course: Course): Promise<void> {
  const { screen } = demo;
  screen.heading('Restructure a course');
  screen.question(`What is in “${course.title}”?`);
  const before = await demo.readText(structure, 'get_course_structure', { course_id: course.id });
  const move = chooseMove(before.data);
  screen.answer(before.text.split('\n').slice(0, 1));

  screen.question(`Move “${move.lesson.title}” to ${move.to.name}, to place ${move.position}. What would that change?`);
  const moves = [{ lesson_id: move.lesson.id, module_id: move.to.moduleId, position: move.position }];
  const base_version = await plan(demo, { course_id: course.id, moves });

  screen.question('Yes, do that.');
  const done = await apply(demo, { course_id: course.id, moves, base_version });
  await checkOrder(demo, course, orderAfter(before.data, move), 'every lesson of the course is in the right place.');

  screen.question('I liked it better before. Undo it.');
  const { undo_outline: outline, base_version: now } = done;
  await apply(demo, { course_id: course.id, outline, base_version: now });
  await checkOrder(demo, course, orderOf(before.data), 'the lessons are in their original order.');
}
