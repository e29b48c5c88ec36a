import type { Course } from '../../src/insights/outline/course.ts';
import { counted, grouped } from '../shared/values.ts';
import type { Applied, Plan } from './server.ts';

export function planText({ minutes, writes, requests }: Plan): string {
  const time = minutes > 1 ? `about ${minutes} minutes` : 'less than a minute';
  return `${counted(writes, 'lesson')} to write · ${counted(requests, 'request')} · ${time}. Nothing is changed yet.`;
}

const lessonCount = ({ lists }: Course): number => lists.reduce((sum, { lessons }) => sum + lessons.length, 0);

/** Says that lessons are missing, in a client that lets the view read no more of a long course. */
export function partTexts(course: Course, all = 0): string[] {
  const shown = lessonCount(course);
  return shown < all ? [`${grouped(String(shown))} of ${counted(all, 'lesson')} shown.`] : [];
}

/** The summary of a course in which nothing moves yet. */
export function courseText(course: Course, canMove: boolean): string {
  const lessons = lessonCount(course);
  const hint = canMove && lessons > 0 ? '. Drag a lesson, or press its handle, to plan a new order.' : '';
  return counted(lessons, 'lesson') + hint;
}

/** Says that the plan is new. `why`: the server's reason, which can be long. */
export const staleText = (why: string): string =>
  `This is a new plan for the course as it is now: ${why.replace(/\.? ?Nothing was changed\.?$/, '')}.`;

export function doneTexts({ isVerified, written, next, failures }: Applied, isUndo: boolean): string[] {
  if (!isVerified) return [`Not finished: ${next ?? ''}`, ...failures];
  return [`${isUndo ? 'Undone' : 'Applied'} and verified: ${counted(written, 'lesson')} written.`];
}

/** The same for the assistant, without a word that a member wrote. */
export function reportText({ isVerified, written }: Applied, isUndo: boolean, course_id: number): string {
  const what = `${isUndo ? 'Undone' : 'Applied'} by the person in the view of course ${course_id}`;
  const state = isVerified ? 'read back and verified' : 'not finished';
  return `${what}: ${counted(written, 'lesson')} written, ${state}.`;
}
