import { firstCourse, fresh, type Maker } from '../operation.ts';

export const createLesson: Maker = (academy, tag) => {
  const { id } = firstCourse(academy);
  const title = `Lesson ${tag}`;
  const count = () => academy.lessons.ofCourse(id).filter((lesson) => lesson.title === title).length;
  const path = `/api/v1/courses/${id}/lessons`;
  return { tool: 'create_lesson', args: { course_id: id, title, is_published: false }, method: 'POST', path, count };
};

export const createChannel: Maker = (academy, tag) => {
  const name = `Channel ${tag}`;
  const count = () => academy.community.channels.all().filter((channel) => channel.name === name).length;
  return { tool: 'create_channel', args: { name }, method: 'POST', path: '/api/v1/community/channels', count };
};

export const updateProduct: Maker = (academy, tag, used) => {
  const course = fresh(academy.catalogue.courses.all(), used, ({ is_challenge }) => !is_challenge);
  const title = `Course ${tag}`;
  const args = { product_type: 'course', id_or_slug: String(course.id), title };
  const path = `/api/v1/products/course/${course.id}`;
  return { tool: 'update_product', args, method: 'PATCH', path, count: () => (course.title === title ? 1 : 0) };
};

export const updateChannel: Maker = (academy, tag, used) => {
  const channel = fresh(academy.community.channels.all(), used);
  const name = `Renamed ${tag}`;
  const path = `/api/v1/community/channels/${channel.id}`;
  const count = () => (channel.name === name ? 1 : 0);
  return { tool: 'update_channel', args: { id_or_slug: String(channel.id), name }, method: 'PATCH', path, count };
};

/** There are few courses: after each has been renamed, channels are renamed. */
export const updateRecord: Maker = (academy, tag, used) => {
  const areLeft = academy.catalogue.courses.all().some((course) => !course.is_challenge && !used.has(course));
  return (areLeft ? updateProduct : updateChannel)(academy, tag, used);
};
