import type { Course } from '../../src/insights/outline/course.ts';
import type { LessonChange } from '../../src/insights/outline/lesson-changes.ts';
import type { Page } from '../shared/page.ts';
import { counted, grouped } from '../shared/values.ts';
import { type Applied, makePlan, type Plan, type ShownCourse } from './server.ts';
import { currentTarget, isSame, type Target } from './target.ts';

/** What the view shows now. The parts of the view change it in place. */
export interface State {
  course: ShownCourse | undefined;
  target: Target;
  edits: readonly LessonChange[];
  plan: Plan | undefined;
  /** The last plan that was applied here, which can be undone. */
  applied: Applied | undefined;
  notices: readonly string[];
}

export const emptyState = (): State => ({
  course: undefined,
  target: [],
  edits: [],
  plan: undefined,
  applied: undefined,
  notices: [],
});

/** Whether the person or the assistant wants anything else than the course as it is. */
export function isWished({ course, target, edits }: State): boolean {
  return course !== undefined && (edits.length > 0 || !isSame(target, currentTarget(course)));
}

export function wantCurrent(state: State, course: ShownCourse): void {
  Object.assign(state, { course, target: currentTarget(course), edits: [], plan: undefined });
}

// The sentences of the view.

export function planText({ minutes, writes, requests }: Plan): string {
  const time = minutes > 1 ? `about ${minutes} minutes` : 'less than a minute';
  return `${counted(writes, 'lesson')} to write · ${counted(requests, 'request')} · ${time}. Nothing is changed yet.`;
}

const lessonCount = (course: Course | undefined): number =>
  course?.lists.reduce((sum, list) => sum + list.lessons.length, 0) ?? 0;

/** Says that lessons are missing, in a client that lets the view read no more of a long course. */
export function partTexts(course: Course, all = 0): string[] {
  const shown = lessonCount(course);
  return shown < all ? [`${grouped(String(shown))} of ${counted(all, 'lesson')} shown.`] : [];
}

export function summaryText(state: State, canMove: boolean): string {
  const { course, plan } = state;
  if (plan !== undefined) return planText(plan);
  if (isWished(state)) return 'Making a plan';
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

/** How long the view waits for the next move before it asks for a plan, in milliseconds. */
const pause = 600;

export interface Drawing {
  /** Draws everything. `isNew`: from the first change on. */
  all(isNew?: boolean): void;
  frame(): void;
}

export function createPlanning(page: Page, state: State, draw: Drawing) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Plans of earlier wishes are dropped. */
  let wished = 0;

  function startOver(): void {
    clearTimeout(timer);
    wished += 1;
    Object.assign(state, { plan: undefined, notices: [] });
  }

  async function planNow(): Promise<void> {
    const mine = wished;
    await page.during('Making a plan', async () => {
      if (state.course === undefined) return;
      const made = await makePlan(page.host, state.course.id, state);
      if (mine !== wished) return;
      state.plan = made;
      draw.all();
      page.say(planText(made));
    });
  }

  return {
    planNow,
    /** A new order, moved by the person: a plan follows as soon as they pause. */
    want: (target: Target) => {
      startOver();
      state.target = target;
      if (isWished(state)) timer = setTimeout(() => void planNow(), pause);
      draw.frame();
    },
    discard: () => {
      if (state.course === undefined) return;
      startOver();
      wantCurrent(state, state.course);
      page.fail('');
      draw.all(true);
      page.say('The plan was discarded');
    },
  };
}
