import { firstCourse, type Maker, type ToolOperation } from '../operation.ts';

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

export const getCourse: Maker = (academy) => {
  const { id } = firstCourse(academy);
  return read('get_course', 'GET', `/api/v1/courses/${id}`, { course_id: id });
};

export const listOrders: Maker = () => read('list_orders', 'GET', '/api/v1/orders', { status: 'all', per_page: 5 });

export const getCourseCompletion: Maker = (academy) => {
  const { id } = firstCourse(academy);
  const email = academy.students.all()[0]?.email ?? '';
  const path = `/api/v1/courses/${id}/completion-percentage`;
  return read('get_course_completion', 'POST', path, { course_id: id, user_email: email });
};
