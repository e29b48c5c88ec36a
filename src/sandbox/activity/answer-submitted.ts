import * as z from 'zod';
import { answerText } from '../seed/contribution-texts.ts';
import type { Random } from '../seed/random.ts';
import type { Academy } from '../state/academy.ts';
import { heldCourses } from '../state/held-products.ts';
import { studentIdentity } from '../views/student.ts';
import { randomStudents, recordVisit } from './active-students.ts';

const input = z.strictObject({ email: z.string(), lesson_id: z.int(), question: z.string(), answer: z.string() });

/** Draws an answer to the lesson that a student completed last. */
export function drawAnswer(academy: Academy, random: Random) {
  for (const student of randomStudents(academy, random)) {
    const courseId = heldCourses(academy, student.id).findLast(
      (held) => academy.progress.completed(student.id, held).length > 0,
    );
    const lesson = courseId && academy.progress.completed(student.id, courseId).at(-1);
    if (lesson) return { email: student.email, lesson_id: lesson, ...answerText(student, courseId, random) };
  }
  return undefined;
}

export function submitAnswer(given: unknown, academy: Academy): void {
  const { email, ...texts } = input.parse(given);
  const student = recordVisit(academy, email);
  const { answer, question, lesson_id } = academy.answers.add({
    id: academy.answers.nextId(),
    student_id: student.id,
    ...texts,
    created_at: academy.now().getTime(),
  });
  const lesson = academy.lessons.get(lesson_id)?.title ?? '';
  academy.emit('new_answer', () => ({ ...studentIdentity(student), answer, question, lesson }));
}
