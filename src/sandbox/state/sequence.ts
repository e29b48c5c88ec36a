import type { LessonRecord, Lessons } from './lessons.ts';

/** The meaning of a given sequence: the stored number, or a position from 0 that shifts the other lessons. */
export type SequenceMode = 'absolute' | 'shift';

/** The sequence of a lesson created without one: last in its module, or, outside modules, last in the course. */
export function sequenceAfterOthers(lessons: Lessons, courseId: number, moduleId: number | null): number {
  const others = moduleId === null ? lessons.ofCourse(courseId) : lessons.siblings(courseId, moduleId);
  return others.reduce((highest, lesson) => Math.max(highest, lesson.sequence), -1) + 1;
}

/** Moves a lesson among its siblings. Its module is set already. */
export function placeLesson(lessons: Lessons, lesson: LessonRecord, sequence: number, mode: SequenceMode): void {
  if (mode === 'absolute') {
    lesson.sequence = sequence;
    return;
  }
  const siblings = lessons.siblings(lesson.course_id, lesson.module_id).filter((other) => other.id !== lesson.id);
  siblings.splice(sequence, 0, lesson);
  for (const [position, sibling] of siblings.entries()) sibling.sequence = position;
}
