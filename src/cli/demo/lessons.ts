import * as z from 'zod';
import type { Course } from './buyers.ts';
import type { Stage } from './stage.ts';
import { excerpt, type Move, opening, placeOf, planMove, structure } from './structure.ts';

const updated = z.object({ outcome: z.literal('applied') });

async function readStructure(stage: Stage, { id }: Course) {
  return await stage.readText(structure, 'get_course_structure', { course_id: id });
}

async function moveLesson(stage: Stage, lessonId: number, moduleId: number | null, sequence: number): Promise<void> {
  const place = { lesson_id: lessonId, module_id: moduleId, sequence };
  const { text } = await stage.readText(updated, 'update_lesson', place);
  stage.screen.answer(text.split('\n').slice(0, 1));
}

function checkMoved(course: z.output<typeof structure>, { lesson, to }: Move): void {
  if (placeOf(course, lesson.id)?.moduleId === to.moduleId) return;
  throw new Error(`the lesson "${lesson.title}" is not where it was moved to`);
}

/** A lesson moves to another module, and back: nothing else in the course may change. */
export async function showLessons(stage: Stage, course: Course): Promise<void> {
  const { screen } = stage;
  screen.heading('Restructure a course');
  screen.question(`Show me the lessons of “${course.title}”.`);
  const before = await readStructure(stage, course);
  const move = planMove(before.data);
  const { lesson, from, to, sequence } = move;
  screen.answer([...opening(before.text), ...excerpt(before.text, [from, to])]);

  screen.question(`Move “${lesson.title}” to ${to.name}.`);
  await moveLesson(stage, lesson.id, to.moduleId, sequence);
  const moved = await readStructure(stage, course);
  checkMoved(moved.data, move);
  screen.answer(excerpt(moved.text, [from, to]));

  screen.question('I liked it better before. Put it back.');
  await moveLesson(stage, lesson.id, from.moduleId, lesson.sequence);
  const after = await readStructure(stage, course);
  if (after.text !== before.text) throw new Error('the course is not as it was before the lesson was moved');
  screen.check('The course reads exactly as it did at first.');
}
