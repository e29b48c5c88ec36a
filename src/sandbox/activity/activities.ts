import * as z from 'zod';
import { answerText } from '../seed/pick-text.ts';
import { createRandom, type Random } from '../seed/random.ts';
import type { Academy } from '../state/academy.ts';
import { heldCourses } from '../state/held-products.ts';
import { studentIdentity } from '../views/student.ts';
import { randomStudents, recordVisit } from './active-students.ts';
import { completeLesson, drawLesson } from './lesson-completed.ts';
import { drawOrder, payOrder } from './order-paid.ts';
import { drawProjectPost, postInProject } from './project-posted.ts';

const input = z.strictObject({ email: z.string(), lesson_id: z.int(), question: z.string(), answer: z.string() });

/** Draws an answer to the lesson that a student completed last. */
function drawAnswer(academy: Academy, random: Random) {
  for (const student of randomStudents(academy, random)) {
    const courseId = heldCourses(academy, student.id).findLast(
      (held) => academy.progress.completed(student.id, held).length > 0,
    );
    const lesson = courseId && academy.progress.completed(student.id, courseId).at(-1);
    if (lesson) return { email: student.email, lesson_id: lesson, ...answerText(student, courseId, random) };
  }
  return undefined;
}

function submitAnswer(given: unknown, academy: Academy): void {
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

type ActivityName = 'order_paid' | 'lesson_completed' | 'answer_submitted' | 'project_posted';

/** One simulated action of a member. The input is plain JSON, so a journal can hold it. */
export interface Activity {
  readonly name: ActivityName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Each changes the academy and emits its events. Throws for an input that `nextActivity` cannot have created. */
export const activities: Readonly<Record<ActivityName, (input: unknown, academy: Academy) => void>> = {
  order_paid: counted(payOrder),
  lesson_completed: counted(completeLesson),
  answer_submitted: counted(submitAnswer),
  project_posted: counted(postInProject),
};

/** Decides the next activity from the state alone: the same state gives the same activity. Changes nothing. */
export function nextActivity(academy: Academy): Activity {
  // Journals and seeded academies depend on this word.
  const random = createRandom(academy.key, 'happening', academy.activityCount);
  return draw(academy, random) ?? { name: 'order_paid', input: drawOrder(academy, random) };
}

/** Undefined for an order, or if no student can do what was drawn: an order is always possible. */
function draw(academy: Academy, random: Random): Activity | undefined {
  const share = random.next();
  if (share < 0.35) return undefined;
  if (share < 0.8) return named('lesson_completed', drawLesson(academy, random));
  if (share < 0.92) return named('answer_submitted', drawAnswer(academy, random));
  return named('project_posted', drawProjectPost(academy, random));
}

function named(name: ActivityName, input: Activity['input'] | undefined): Activity | undefined {
  return input === undefined ? undefined : { name, input };
}

function counted(activity: (input: unknown, academy: Academy) => void) {
  return (input: unknown, academy: Academy) => {
    activity(input, academy);
    academy.activityCount += 1;
  };
}
