import { firstCourse, fresh, heldBy, type Maker } from '../operation.ts';

export const enroll: Maker = (academy, tag) => {
  const { id } = firstCourse(academy);
  const email = `${tag}@example.com`;
  const count = () => {
    const student = academy.students.withEmail(email);
    return student === undefined ? 0 : heldBy(academy, student.id).filter((course) => course === id).length;
  };
  const args = { email, name: `Person ${tag}`, course_id: id };
  return { tool: 'enroll_student', args, method: 'POST', path: '/api/v1/student/enroll', count };
};

export const grantRole: Maker = (academy, _tag, used) => {
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
export const resetProgress: Maker = (academy, _tag, used) => {
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
