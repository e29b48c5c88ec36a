import type { RepeatClass } from '../fault.ts';
import { firstCourse, fresh, type Maker, type ToolOperation } from '../operation.ts';
import { enroll, grantRole, resetProgress, revokeCourse, unenroll } from './access.ts';
import { applyOutline, bulkEnroll } from './wholes.ts';

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
