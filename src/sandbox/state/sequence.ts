import type { LessonRecord, Lessons } from './lessons.ts';

/** What a given sequence means: the number itself, or a place (from 0) that pushes the others along. */
export type SequenceMode = 'absolute' | 'shift';

/** Where a lesson goes that names no sequence: after those of its module, or of the whole course outside modules. */
export function sequenceAfterOthers(lessons: Lessons, courseId: number, moduleId: number | null): number {
  const others = moduleId === null ? lessons.ofCourse(courseId) : lessons.siblings(courseId, moduleId);
  return others.reduce((highest, lesson) => Math.max(highest, lesson.sequence), -1) + 1;
}

/** Moves a lesson among its present siblings; it already carries its module. */
export function placeLesson(lessons: Lessons, lesson: LessonRecord, sequence: number, mode: SequenceMode): void {
  if (mode === 'absolute') {
    lesson.sequence = sequence;
    return;
  }
  const siblings = lessons.siblings(lesson.course_id, lesson.module_id).filter((other) => other.id !== lesson.id);
  siblings.splice(sequence, 0, lesson);
  for (const [position, sibling] of siblings.entries()) sibling.sequence = position;
}
