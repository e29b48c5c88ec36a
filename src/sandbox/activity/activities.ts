import { createRandom, type Random } from '../seed/random.ts';
import type { Academy } from '../state/academy.ts';
import { drawAnswer, submitAnswer } from './answer-submitted.ts';
import { completeLesson, drawLesson } from './lesson-completed.ts';
import { drawOrder, payOrder } from './order-paid.ts';
import { drawProjectPost, postInProject } from './project-posted.ts';

export type ActivityName = 'order_paid' | 'lesson_completed' | 'answer_submitted' | 'project_posted';

/** Something that members do by themselves. The input is plain JSON, so that it can stand in a journal. */
export interface Activity {
  readonly name: ActivityName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Changes the academy and emits the events; throws when the input is not one that `nextActivity` makes. */
export const activities: Readonly<Record<ActivityName, (input: unknown, academy: Academy) => void>> = {
  order_paid: counted(payOrder),
  lesson_completed: counted(completeLesson),
  answer_submitted: counted(submitAnswer),
  project_posted: counted(postInProject),
};

/** What happens next, from the state alone: asked twice in the same state, it says the same. Changes nothing. */
export function nextActivity(academy: Academy): Activity {
  const random = createRandom(academy.key, 'happening', academy.activityCount);
  return draw(academy, random) ?? { name: 'order_paid', input: drawOrder(academy, random) };
}

/** Nothing when nobody is there to do what was drawn; there can always be an order. */
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

function counted(runActivity: (input: unknown, academy: Academy) => void) {
  return (input: unknown, academy: Academy) => {
    runActivity(input, academy);
    academy.activityCount += 1;
  };
}
