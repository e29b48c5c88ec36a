import { readFile } from 'node:fs/promises';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { call } from './sandbox.ts';

/** Enrolls `user` at example.com. */
export const enroll = (sandbox: Sandbox, user: string, more: object = {}) =>
  call(sandbox, 'POST', '/api/v1/student/enroll', { email: `${user}@example.com`, name: user, ...more });

export const has = ({ academy }: Sandbox, user: string) =>
  academy.students.withEmail(`${user}@example.com`) !== undefined;

/** The complete lines of a journal. */
export const lines = async (file: string) => (await readFile(file, 'utf8')).split('\n').slice(0, -1);

/** All orders, students, courses and channels that the API shows. */
export async function everything(sandbox: Sandbox): Promise<unknown[]> {
  const paths = [
    '/api/v1/orders?status=all',
    '/api/v1/students',
    '/api/v1/community/channels',
    '/api/v1/products?limit=25',
  ];
  const lesson = `/api/v1/courses/${sandbox.academy.lessons.all()[0]?.course_id}/lessons`;
  return Promise.all([...paths, lesson].map(async (path) => (await call(sandbox, 'GET', path)).body));
}
