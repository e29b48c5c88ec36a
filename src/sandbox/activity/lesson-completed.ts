import * as z from 'zod';
import type { Random } from '../seed/random.ts';
import type { Academy } from '../state/academy.ts';
import { courseCompletion, heldCourses, totalCompletion } from '../state/held-products.ts';
import { studentIdentity } from '../views/student.ts';
import { randomStudents, recordVisit } from './active-students.ts';

const input = z.strictObject({ email: z.string(), lesson_id: z.int() });

/** Of a few students, picks the one nearest to the end of a course, and their next lesson: so courses get finished. */
export function drawLesson(academy: Academy, random: Random) {
  const open = randomStudents(academy, random).flatMap((student) =>
    heldCourses(academy, student.id).map((courseId) => ({ student, left: lessonsLeft(academy, student.id, courseId) })),
  );
  const nearest = open.filter(({ left }) => left.length > 0).sort((a, b) => a.left.length - b.left.length)[0];
  const lesson = nearest?.left[0];
  return nearest === undefined || lesson === undefined
    ? undefined
    : { email: nearest.student.email, lesson_id: lesson };
}

function lessonsLeft({ lessons, progress }: Academy, studentId: number, courseId: number): number[] {
  const done = new Set(progress.completed(studentId, courseId));
  return [...lessons.publishedIds(courseId)].filter((id) => !done.has(id));
}

export function completeLesson(given: unknown, academy: Academy): void {
  const { email, lesson_id } = input.parse(given);
  const lesson = academy.lessons.get(lesson_id);
  if (lesson === undefined) throw new Error(`there is no lesson ${lesson_id}`);
  const student = recordVisit(academy, email);
  const before = completions(academy, student.id, lesson.course_id);
  academy.progress.complete(student.id, lesson.course_id, lesson.id);
  student.points += lesson.points ?? 0;
  student.lesson_views_count += 1;
  const after = completions(academy, student.id, lesson.course_id);
  const course = academy.catalogue.courses.get(lesson.course_id)?.title ?? '';
  if (before.course < 100 && after.course >= 100) {
    academy.emit('course_completed', () => ({ ...studentIdentity(student), course, course_id: lesson.course_id }));
  }
  if (before.total < 100 && after.total >= 100) academy.emit('student_completed', () => studentIdentity(student));
}

function completions(academy: Academy, studentId: number, courseId: number) {
  return { course: courseCompletion(academy, studentId, courseId), total: totalCompletion(academy, studentId) };
}
