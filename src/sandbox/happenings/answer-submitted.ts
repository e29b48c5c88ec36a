import * as z from 'zod';
import type { Random } from '../seed/random.ts';
import { answerTexts, questions } from '../seed/texts/contributions.ts';
import type { Academy } from '../state/academy.ts';
import { heldCourses } from '../state/access.ts';
import { studentIdentity } from '../views/student.ts';
import { someStudents, studentWith } from './members.ts';

const input = z.strictObject({ email: z.string(), lesson_id: z.int(), question: z.string(), answer: z.string() });

/** An answer to a lesson that the student has completed last. */
export function drawAnswer(academy: Academy, random: Random) {
  for (const student of someStudents(academy, random)) {
    const lesson = heldCourses(academy, student.id)
      .flatMap((courseId) => academy.progress.completed(student.id, courseId).at(-1) ?? [])
      .at(-1);
    if (lesson !== undefined) {
      const texts = { question: random.pick(questions), answer: random.pick(answerTexts) };
      return { email: student.email, lesson_id: lesson, ...texts };
    }
  }
  return undefined;
}

export function submitAnswer(given: unknown, academy: Academy): void {
  const { email, ...texts } = input.parse(given);
  const student = studentWith(academy, email);
  const { answer, question, lesson_id } = academy.answers.add({
    id: academy.answers.nextId(),
    student_id: student.id,
    ...texts,
    created_at: academy.now().getTime(),
  });
  const lesson = academy.lessons.get(lesson_id)?.title ?? '';
  academy.emit('new_answer', () => ({ ...studentIdentity(student), answer, question, lesson }));
}
