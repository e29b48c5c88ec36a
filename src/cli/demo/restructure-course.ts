import { isDeepStrictEqual } from 'node:util';
import { chooseMove, fetchOrder, type Order, orderAfter, orderOf, structure } from './course-structure.ts';
import type { Course } from './find-buyers.ts';
import { costText, type Stage } from './stage.ts';
import { appliedOutline, plannedOutline } from './tool-results.ts';

/** The lines of a tree that show something; how many others there are. */
export function changedLists(tree: readonly string[]): string[] {
  const changed = tree.filter((line) => !line.includes(': unchanged ('));
  const left = tree.length - changed.length;
  return [...changed, ...(left > 0 ? [`(${left} more parts of the course stay as they are)`] : [])];
}

async function plan({ readText, screen }: Stage, asked: Record<string, unknown>): Promise<string> {
  const { text, data } = await readText(plannedOutline, 'plan_course_outline', asked);
  const warnings = data.warnings.map((warning) => `Warning: ${warning}`);
  screen.answer([...text.split('\n').slice(0, 1), ...warnings, ...changedLists(data.tree)]);
  return data.base_version;
}

async function apply({ readText, screen, count }: Stage, asked: Record<string, unknown>) {
  const spent = count();
  const { text, data } = await readText(appliedOutline, 'apply_course_outline', { ...asked, confirm: true });
  screen.answer([...text.split('\n').slice(0, 1), costText(spent())]);
  return data;
}

async function checkOrder(stage: Stage, { id }: Course, wanted: Order, holds: string): Promise<void> {
  if (!isDeepStrictEqual(await fetchOrder(stage, id), wanted)) throw new Error('the lessons stand in another order');
  stage.screen.check(`Read straight from the HTTP API, ${holds}`);
}

/** A lesson moves into another module, planned and agreed to, and then all is undone. */
export async function showLessons(stage: Stage, course: Course): Promise<void> {
  const { screen } = stage;
  screen.heading('Restructure a course');
  screen.question(`What is in “${course.title}”?`);
  const before = await stage.readText(structure, 'get_course_structure', { course_id: course.id });
  const move = chooseMove(before.data);
  screen.answer(before.text.split('\n').slice(0, 1));

  screen.question(`Move “${move.lesson.title}” to ${move.to.name}, to place ${move.position}. What would that change?`);
  const moves = [{ lesson_id: move.lesson.id, module_id: move.to.moduleId, position: move.position }];
  const base_version = await plan(stage, { course_id: course.id, moves });

  screen.question('Yes, do that.');
  const done = await apply(stage, { course_id: course.id, moves, base_version });
  await checkOrder(stage, course, orderAfter(before.data, move), 'every lesson of the course stands where it should.');

  screen.question('I liked it better before. Undo it.');
  const { undo_outline: outline, base_version: now } = done;
  await apply(stage, { course_id: course.id, outline, base_version: now });
  await checkOrder(stage, course, orderOf(before.data), 'the lessons stand in the order that they had at first.');
}
