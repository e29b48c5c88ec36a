import { type Call, ok, type Reply, type Write } from './call.ts';
import * as access from './handlers/access.ts';
import * as community from './handlers/community.ts';
import * as content from './handlers/content.ts';
import * as orders from './handlers/orders.ts';
import * as students from './handlers/students.ts';
import type { Academy } from './rules.ts';
import { iso } from './state.ts';

export type Handler = (call: Call, academy: Academy) => Reply | Write;

interface Route {
  readonly name: string;
  readonly methods: readonly string[];
  readonly pattern: RegExp;
  readonly handler: Handler;
}

function route(name: string, method: string, path: string, handler: Handler): Route {
  const methods = method === 'PATCH' ? ['PATCH', 'PUT'] : [method];
  return { name, methods, pattern: new RegExp(`^/api/v1${path.replaceAll(/:\w+/g, '([^/]+)')}$`), handler };
}

const account: Handler = (_call, { now }) => {
  const facts = {
    subdomain: 'odd',
    app_name: 'Odd Academy',
    currency: 'USD',
    locale: 'en',
    subscription_plan: 'standard',
  };
  return ok({ account: { ...facts, server_time: iso(now()) }, capabilities: { admin_api: true }, webhook_events: [] });
};

export const routes: readonly Route[] = [
  route('account.get', 'GET', '/account', account),
  route('courses.roles', 'GET', '/courses/roles', (_call, { state }) => ok({ roles: state.roles })),
  route('courses.list', 'GET', '/courses', content.listCourses),
  route('courses.get', 'GET', '/courses/:id', content.detail('course')),
  route('courses.completion', 'POST', '/courses/:id/completion-percentage', students.completion),
  route('courses.structure', 'GET', '/courses/:id/lessons', content.getStructure),
  route('lessons.create', 'POST', '/courses/:id/lessons', content.createLesson),
  route('lessons.update', 'PATCH', '/lessons/:id', content.updateLesson),
  route('bundles.list', 'GET', '/bundles', content.listBundles),
  route('bundles.get', 'GET', '/bundles/:id', content.detail('bundle')),
  route('digital.list', 'GET', '/digital_products', content.listDigital),
  route('digital.get', 'GET', '/digital_products/:id', content.detail('digital_product')),
  route('products.search', 'GET', '/products', content.searchProducts),
  route('products.get', 'GET', '/products/:type/:id', content.getProduct),
  route('products.update', 'PATCH', '/products/:type/:id', content.updateProduct),
  route('channels.list', 'GET', '/community/channels', community.searchChannels),
  route('channels.get', 'GET', '/community/channels/:id', community.getChannel),
  route('channels.create', 'POST', '/community/channels', community.createChannel),
  route('channels.update', 'PATCH', '/community/channels/:id', community.updateChannel),
  route('channels.posts', 'GET', '/community/channels/:id/posts', community.searchPosts),
  route('groups.list', 'GET', '/community/groups', community.listGroups),
  route('orders.list', 'GET', '/orders', orders.listOrders),
  route('orders.get', 'GET', '/orders/:id', orders.getOrder),
  route('students.list', 'GET', '/students', students.listStudents),
  route('students.details', 'GET', '/students/details', students.studentDetails),
  route('students.completions', 'GET', '/students/completions', students.completedStudents),
  route('students.answers', 'GET', '/students/answers', () => ok({ answers: [] })),
  route('students.posts', 'GET', '/students/project-posts', () => ok({ project_posts: [] })),
  route('student.enroll', 'POST', '/student/enroll', access.enroll),
  route('student.unenroll', 'POST', '/student/unenroll', access.unenroll),
  route('student.revoke-course', 'POST', '/student/revoke-course', access.revokeCourse),
  route('student.revoke-bundle', 'POST', '/student/revoke-bundle', access.revokeBundle),
  route('student.grant-role', 'POST', '/student/grant-role', (call, academy) => access.role(call, academy, true)),
  route('student.revoke-role', 'POST', '/student/revoke-role', (call, academy) => access.role(call, academy, false)),
  route('student.reset-course', 'POST', '/student/reset-course-progress', access.resetCourse),
  route('student.reset-bundle', 'POST', '/student/reset-bundle-progress', access.resetBundle),
];

export function routeOf(method: string, path: string): { route: Route; ids: string[] } | undefined {
  for (const one of routes) {
    const match = one.methods.includes(method) ? one.pattern.exec(path) : null;
    if (match !== null) return { route: one, ids: match.slice(1).map(decodeURIComponent) };
  }
  return undefined;
}
