import { structureOf } from '../../src/insights/outline/course.ts';
import { versionOf } from '../../src/insights/outline/course-version.ts';
import { coursesHandlers } from '../../src/sandbox/handlers/courses.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { WriteOutcome } from '../../src/shared/errors.ts';
import type { ToolAnswer } from '../support/connect.ts';
import { compositeWrites } from '../support/every-call.ts';
import type { RepeatClass } from './faults.ts';

export type Academy = Sandbox['academy'];

/** One tool call, its main request, and a count from the sandbox's state of how often it was done. */
export interface ToolOperation {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The start of the path of that request. */
  readonly path: string;
  /** 0 before it is done, 1 after, more if it was duplicated. Always 0 for a read. */
  readonly count: () => number;
}

/** Makes an operation that has not been done yet. Its names and texts contain `tag`. */
type Maker = (academy: Academy, tag: string, used: Set<object>) => ToolOperation;

/** The first matching record that no other operation uses. */
function fresh<Row extends object>(
  rows: readonly Row[],
  used: Set<object>,
  fits: (row: Row) => boolean = () => true,
): Row {
  const found = rows.find((row) => !used.has(row) && fits(row));
  if (found === undefined) throw new Error('the seeded data hold too few records for so many cases');
  used.add(found);
  return found;
}

function firstCourse(academy: Academy) {
  const course = academy.catalogue.courses.all().find((other) => !other.is_challenge && other.is_published);
  if (course === undefined) throw new Error('the seeded data hold no course');
  return course;
}

const heldBy = (academy: Academy, studentId: number) =>
  academy.orders.ofStudent(studentId).flatMap((order) => [...order.courses]);

type Data = Readonly<Record<string, unknown>>;

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

function ofStudents({ students }: Data): WriteOutcome {
  const states = Object.values(Object(students)).map((state) => String(state).split(':')[0] ?? '');
  if (states.every((state) => /^(applied|already_there|skipped)$/.test(state))) return 'applied';
  return states.includes('unknown') ? 'outcome_unknown' : 'not_applied';
}

/** The outcome for an outline: the lessons read back decide, if they could be read. */
function ofOutline({ applied, failed, remaining, verified, base_version }: Data): WriteOutcome {
  const isUnknown = JSON.stringify(failed ?? []).includes('outcome_unknown');
  const isRead = base_version !== undefined || !isUnknown;
  const open = lengthOf(remaining) + (verified === true ? 0 : lengthOf(failed));
  if (open === 0 && isRead) return 'applied';
  return isUnknown || lengthOf(applied) > 0 ? 'outcome_unknown' : 'not_applied';
}

function outcomeOf({ tool }: ToolOperation, { structured: data, code }: ToolAnswer): WriteOutcome | undefined {
  // An error of the whole call happens before anything is written.
  if (data === undefined || code !== 'ok') return 'not_applied';
  return tool === 'sync_roster' ? ofStudents(data) : ofOutline(data);
}

export function claimOf(operation: ToolOperation, answer: ToolAnswer): ToolAnswer {
  if (!compositeWrites.includes(operation.tool)) return answer;
  return { ...answer, outcome: answer.outcome ?? outcomeOf(operation, answer) };
}

/** What an answer claims wrongly of a write that was done `count` times. */
export function lies({ outcome }: Pick<ToolAnswer, 'outcome'>, count: number): string[] {
  if (count > 1) return [`done ${count} times`];
  if (outcome === 'applied' && count === 0) return ['reported as applied, but has no effect'];
  return outcome === 'not_applied' && count > 0 ? ['reported as not applied, but has an effect'] : [];
}

export function isCalled(operation: ToolOperation, { code, text }: ToolAnswer, expected: string): boolean {
  // The row of a student says "unknown" for `outcome_unknown`.
  const inPart = `${expected.replace('outcome_', '')}:`;
  return code === expected || (compositeWrites.includes(operation.tool) && text.includes(inPart));
}

const enroll: Maker = (academy, tag) => {
  const { id } = firstCourse(academy);
  const email = `${tag}@example.com`;
  const count = () => {
    const student = academy.students.withEmail(email);
    return student === undefined ? 0 : heldBy(academy, student.id).filter((course) => course === id).length;
  };
  const args = { email, name: `Person ${tag}`, course_id: id };
  return { tool: 'enroll_student', args, method: 'POST', path: '/api/v1/student/enroll', count };
};

const grantRole: Maker = (academy, _tag, used) => {
  const student = fresh(academy.students.all(), used, ({ role_ids }) => role_ids.length === 0);
  const role = academy.catalogue.roles.all()[0]?.id ?? 0;
  const args = { email: student.email, role_id: role };
  const count = () => student.role_ids.filter((id) => id === role).length;
  return { tool: 'grant_role', args, method: 'POST', path: '/api/v1/student/grant-role', count };
};

export const revokeCourse: Maker = (academy, _tag, used) => {
  const student = fresh(academy.students.all(), used, ({ id }) => heldBy(academy, id).length > 0);
  const [course = 0] = heldBy(academy, student.id);
  const args = { email: student.email, name: student.name, course_id: course, confirm: true };
  const count = () => (heldBy(academy, student.id).includes(course) ? 0 : 1);
  return { tool: 'revoke_course', args, method: 'POST', path: '/api/v1/student/revoke-course', count };
};

export const unenroll: Maker = (academy, _tag, used) => {
  const student = fresh(academy.students.all(), used, ({ paying_student }) => paying_student);
  const args = { email: student.email, name: student.name, confirm: true };
  const count = () => (student.paying_student ? 0 : 1);
  return { tool: 'unenroll_student', args, method: 'POST', path: '/api/v1/student/unenroll', count };
};

/** A student who has completed a published lesson of one of their courses: reading back shows the reset. */
const resetProgress: Maker = (academy, _tag, used) => {
  const started = (studentId: number) =>
    heldBy(academy, studentId).find((course) => {
      const published = academy.lessons.publishedIds(course);
      const share = academy.progress.completed(studentId, course).filter((lesson) => published.has(lesson)).length;
      return share / published.size >= 0.01;
    });
  const student = fresh(academy.students.all(), used, ({ id }) => started(id) !== undefined);
  const course = started(student.id) ?? 0;
  const args = { email: student.email, course_id: course, confirm: true };
  const count = () => (academy.progress.completed(student.id, course).length > 0 ? 0 : 1);
  return { tool: 'reset_course_progress', args, method: 'POST', path: '/api/v1/student/reset-course-progress', count };
};

/** Orders that give access to a course: pending and failed orders list it, too. */
function settledOrders({ orders }: Academy, studentId: number, course: number): number {
  const settled = orders.ofStudent(studentId).filter(({ status }) => status === 'paid' || status === 'wallet_executed');
  return settled.filter(({ courses }) => courses.includes(course)).length;
}

/** One new student, and one who already has the course and must stay unchanged. */
const bulkEnroll: Maker = (academy, tag, used) => {
  const { id } = firstCourse(academy);
  const times = (student: { id: number } | undefined) =>
    student === undefined ? 0 : settledOrders(academy, student.id, id);
  const holder = academy.students.all().find((student) => !used.has(student) && times(student) > 0);
  if (holder !== undefined) used.add(holder);
  const before = times(holder);
  const email = `${tag}@example.com`;
  const newcomer = { email, name: `Person ${tag}` };
  const students = [...(holder === undefined ? [] : [{ email: holder.email }]), newcomer];
  const count = () => times(academy.students.withEmail(email)) + Math.max(0, times(holder) - before) * 2;
  const args = { students, product: `course ${id}`, confirm: true };
  return { tool: 'sync_roster', args, method: 'POST', path: '/api/v1/student/enroll', count };
};

function versionNow(academy: Academy, course_id: number): string {
  return versionOf(structureOf(coursesHandlers['courses.getCourseStructure']({ course_id }, academy)));
}

/** A new title set by an outline, planned from the current course at each call. */
export const applyOutline: Maker = (academy, tag, used) => {
  const first = firstCourse(academy).id;
  const courses = academy.catalogue.courses.all().filter(({ id }) => id !== first);
  const lesson = fresh(
    courses.flatMap(({ id }) => academy.lessons.ofCourse(id)),
    used,
  );
  const { course_id } = lesson;
  const title = `Lesson ${tag}`;
  return {
    tool: 'apply_course_outline',
    get args() {
      const lessons = [{ lesson_id: lesson.id, title }];
      return { course_id, moves: [], lessons, base_version: versionNow(academy, course_id), confirm: true };
    },
    method: 'PATCH',
    path: `/api/v1/lessons/${lesson.id}`,
    count: () => (lesson.title === title ? 1 : 0),
  };
};

const createLesson: Maker = (academy, tag) => {
  const { id } = firstCourse(academy);
  const title = `Lesson ${tag}`;
  const count = () => academy.lessons.ofCourse(id).filter((lesson) => lesson.title === title).length;
  const path = `/api/v1/courses/${id}/lessons`;
  return { tool: 'create_lesson', args: { course_id: id, title, is_published: false }, method: 'POST', path, count };
};

const createChannel: Maker = (academy, tag) => {
  const name = `Channel ${tag}`;
  const count = () => academy.community.channels.all().filter((channel) => channel.name === name).length;
  return { tool: 'create_channel', args: { name }, method: 'POST', path: '/api/v1/community/channels', count };
};

const updateProduct: Maker = (academy, tag, used) => {
  const course = fresh(academy.catalogue.courses.all(), used, ({ is_challenge }) => !is_challenge);
  const title = `Course ${tag}`;
  const args = { product_type: 'course', id_or_slug: String(course.id), title };
  const path = `/api/v1/products/course/${course.id}`;
  return { tool: 'update_product', args, method: 'PATCH', path, count: () => (course.title === title ? 1 : 0) };
};

const updateChannel: Maker = (academy, tag, used) => {
  const channel = fresh(academy.community.channels.all(), used);
  const name = `Renamed ${tag}`;
  const path = `/api/v1/community/channels/${channel.id}`;
  const count = () => (channel.name === name ? 1 : 0);
  return { tool: 'update_channel', args: { id_or_slug: String(channel.id), name }, method: 'PATCH', path, count };
};

/** There are few courses: after each has been renamed, channels are renamed. */
const updateRecord: Maker = (academy, tag, used) => {
  const areLeft = academy.catalogue.courses.all().some((course) => !course.is_challenge && !used.has(course));
  return (areLeft ? updateProduct : updateChannel)(academy, tag, used);
};

const read = (
  tool: string,
  method: ToolOperation['method'],
  path: string,
  args: Record<string, unknown>,
): ToolOperation => ({
  tool,
  args,
  method,
  path,
  count: () => 0,
});

const getCourse: Maker = (academy) => {
  const { id } = firstCourse(academy);
  return read('get_course', 'GET', `/api/v1/courses/${id}`, { course_id: id });
};

const listOrders: Maker = () => read('list_orders', 'GET', '/api/v1/orders', { status: 'all', per_page: 5 });

const getCourseCompletion: Maker = (academy) => {
  const { id } = firstCourse(academy);
  const email = academy.students.all()[0]?.email ?? '';
  const path = `/api/v1/courses/${id}/completion-percentage`;
  return read('get_course_completion', 'POST', path, { course_id: id, user_email: email });
};

/** The writes that are repeated in figure F7, each as often as its weight. */
export const writeMix: readonly { weight: number; make: Maker }[] = [
  { weight: 25, make: enroll },
  { weight: 22, make: createLesson },
  { weight: 15, make: createChannel },
  { weight: 23, make: updateRecord },
  { weight: 15, make: grantRole },
  { weight: 8, make: bulkEnroll },
  { weight: 5, make: applyOutline },
];

/** The writes of figure F8: sending one twice would duplicate it. */
export const creates: readonly Maker[] = [enroll, createLesson, createChannel, bulkEnroll];

/** The tools that represent each class. */
export const makers = {
  R: [getCourse, listOrders, getCourseCompletion],
  I: [updateProduct, updateChannel, revokeCourse, unenroll, applyOutline],
  N: [enroll, createLesson, createChannel, bulkEnroll],
  D: [resetProgress],
} as const satisfies Record<RepeatClass, readonly Maker[]>;
