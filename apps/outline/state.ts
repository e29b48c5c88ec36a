import type { ShownCourse } from './course.ts';
import type { Applied, Plan } from './server.ts';
import { currentTarget, type Edit, isSame, type Target } from './target.ts';

/** What the view shows now. The parts of the view change it in place. */
export interface State {
  course: ShownCourse | undefined;
  /** The wanted order. */
  target: Target;
  /** The wanted titles and publications. */
  edits: readonly Edit[];
  /** The server's plan for both. */
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

/** Wants the course as it is. */
export function wantCurrent(state: State, course: ShownCourse): void {
  Object.assign(state, { course, target: currentTarget(course), edits: [], plan: undefined });
}
