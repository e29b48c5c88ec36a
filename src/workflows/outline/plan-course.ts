import { unreadablePathsIn } from '../../api/http/answer-facts.ts';
import { getCourseStructure } from '../../contract/courses.ts';
import { structureOf } from '../../insights/outline/course.ts';
import { differences, versionOf } from '../../insights/outline/course-version.ts';
import { checkChanges, type LessonChange } from '../../insights/outline/lesson-changes.ts';
import { clarityOf, unclearIn } from '../../insights/outline/order-clarity.ts';
import { planWrites } from '../../insights/outline/strategies.ts';
import { type OutlineRequest, targetOf } from '../../insights/outline/target.ts';
import { checkUndo, undoOf } from '../../insights/outline/undo.ts';
import { unreadableText } from '../../insights/unreadable.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { firstOf } from '../../shared/invalid-input.ts';
import { readCourses } from '../scan-store.ts';

interface CourseQuestion extends OutlineRequest {
  readonly course_id: number;
  readonly lessons?: readonly LessonChange[] | undefined;
}

const maxDifferences = 12;

/** `changed`: the differences between the planned course and the current one; undefined if the planned one is forgotten. */
function stale(changed: readonly string[] | undefined, version: string): AcademyError {
  const shown = firstOf(changed ?? [], maxDifferences, '; ') || 'its earlier state is no longer known here';
  return new AcademyError('stale_version', `the course has changed since this was planned: ${shown}`, {
    hint: `Plan again with plan_course_outline; the course is now at base_version ${version}.`,
    outcome: 'not_applied',
  });
}

function unreadable(count: number): AcademyError {
  const what = unreadableText({ lessons: count });
  return new AcademyError('unexpected_response', `${what}: this course cannot be planned`, {
    hint: 'get_course_structure shows what could be read.',
    outcome: 'not_applied',
  });
}

/** Reads a course, and stores it by its version, so that a later call can name the differences. */
export async function readCourse(course_id: number, { api, stores }: ToolContext) {
  const answer = await api.call(getCourseStructure, { course_id });
  const clarity = clarityOf(answer, unreadablePathsIn(answer));
  const course = structureOf(answer);
  if (clarity.unreadable > 0) throw unreadable(clarity.unreadable);
  const version = versionOf(course);
  stores.of(readCourses).set(`${course_id} ${version}`, course);
  const { title, is_challenge } = answer.course ?? {};
  return { course, version, clarity, title, isChallenge: is_challenge === true };
}

/** Throws `stale_version` if the course is not at `baseVersion`, and `invalid_input` for changes whose undo fits no answer. */
export async function planCourse(question: CourseQuestion, context: ToolContext, baseVersion?: string) {
  const { course_id, lessons: changes = [] } = question;
  const { course, version, title, isChallenge, clarity } = await readCourse(course_id, context);
  if (baseVersion !== undefined && baseVersion !== version) {
    const before = context.stores.of(readCourses).get(`${course_id} ${baseVersion}`);
    throw stale(before && differences(before, course), version);
  }
  const target = targetOf(course, question);
  checkChanges(course, changes);
  const undo = undoOf(course, changes);
  checkUndo(target, undo);
  const writes = planWrites(course, target, changes);
  const unclear = unclearIn(clarity, course, target, question.outline !== undefined);
  return { title, isChallenge, course, version, target, changes, writes, undo, doubts: clarity.doubts, unclear };
}

/** `doubts`: what is not clear about the course; `unclear`: why the order of a list that the plan relies on is not. */
export type CoursePlan = Awaited<ReturnType<typeof planCourse>>;

/** Throws if a plan relies on an order that is not clear: its writes might do something else than what was meant. */
export function refuseUnclear({ unclear }: CoursePlan): void {
  if (unclear === undefined) return;
  throw new AcademyError('unexpected_response', `nothing was sent: ${unclear}`, {
    hint: 'You can still change titles and publication; change the order on the platform, or with update_lesson for each lesson.',
    outcome: 'not_applied',
  });
}
