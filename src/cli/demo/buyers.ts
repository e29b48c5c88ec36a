import * as z from 'zod';
import { readOrders } from './orders.ts';
import {
  buyersOf,
  type Course,
  chooseCourse,
  ordersOfCourse,
  plural,
  purchaseSummary,
  purchaseTable,
} from './purchases.ts';
import { checkAgainstRaw } from './raw-orders.ts';
import type { Spent, Stage } from './stage.ts';
import { inDays, lastWeek } from './week.ts';

const courseList = z.object({ courses: z.array(z.object({ id: z.int(), title: z.string() })) });

/** What the later parts go on with. */
export interface Sales {
  course: Course;
  /** Every published course. */
  courses: Course[];
  /** Emails. */
  buyers: string[];
}

function costOf({ calls, requests, remaining }: Spent): string {
  return `Cost: ${plural(calls, 'tool call')}, ${plural(requests, 'API request')} (${remaining} more may be sent in this minute)`;
}

/** "Who bought it last week?", and the proof that the answer is right. */
export async function showBuyers(stage: Stage, now: Date): Promise<Sales> {
  const { screen } = stage;
  const period = lastWeek(now);
  screen.heading('Who bought a course last week?');
  screen.say(
    `Last week is ${inDays(period)}. The data choose the course: the best seller of that week, of those that were also given away in it if there are any.`,
  );
  const spent = stage.count();
  const { courses } = await stage.read(courseList, 'list_courses');
  const orders = await readOrders(stage, period);
  const course = chooseCourse(courses, orders);
  const { purchases, granted } = ordersOfCourse(orders, course);
  screen.answer([`${plural(courses.length, 'published course')}, ${plural(orders.length, 'order')} in that week`]);
  screen.question(`Who bought “${course.title}” last week?`);
  screen.answer([...purchaseTable(purchases), ...purchaseSummary(purchases, granted), costOf(spent())]);
  const all = await checkAgainstRaw(stage, { period, courseId: course.id, answer: purchases });
  screen.check(`A straight count over all ${all} raw orders of the HTTP API finds the same ${purchases.length}.`);
  return { course, courses, buyers: buyersOf(purchases) };
}
