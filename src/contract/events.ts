import * as z from 'zod';
import { order } from './orders.ts';
import { block, line, memberBlock, memberLine } from './schemas/response-text.ts';

// API document: "Events". The API posts them to webhook targets. `id` is the student's id, except in new_order.

const studentEvent = z.object({ id: z.int(), name: memberLine('Student name'), email: memberLine('Student email') });

export const events = {
  new_student: studentEvent,
  new_order: order,
  course_completed: studentEvent.extend({ course: line('Course title'), course_id: z.int() }),
  student_completed: studentEvent,
  new_answer: studentEvent.extend({
    answer: memberBlock('What the student answered'),
    question: block('What was asked'),
    lesson: line('Lesson title'),
  }),
  new_project_post: studentEvent.extend({ post: memberLine('Title of the post') }),
} as const;

export type EventName = keyof typeof events;
export type EventPayload<Name extends EventName> = z.infer<(typeof events)[Name]>;

export const eventNames = Object.keys(events) as EventName[];
