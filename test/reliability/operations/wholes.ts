import { structureOf } from '../../../src/insights/outline/course.ts';
import { versionOf } from '../../../src/insights/outline/course-version.ts';
import { coursesHandlers } from '../../../src/sandbox/handlers/courses.ts';
import { type Academy, firstCourse, fresh, type Maker } from '../operation.ts';

/** Orders that give access to a course: pending and failed orders list it, too. */
function settledOrders({ orders }: Academy, studentId: number, course: number): number {
  const settled = orders.ofStudent(studentId).filter(({ status }) => status === 'paid' || status === 'wallet_executed');
  return settled.filter(({ courses }) => courses.includes(course)).length;
}

/** One new student, and one who already has the course and must stay unchanged. */
export const bulkEnroll: Maker = (academy, tag, used) => {
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
