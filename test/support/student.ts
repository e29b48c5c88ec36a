import { expect } from 'vitest';
import { type Row, rows, words } from './academy.ts';
import type { startAcademy } from './connect.ts';
import { truth, truths } from './truth.ts';

export type Academy = Awaited<ReturnType<typeof startAcademy>>;

export async function details({ sandbox }: Academy, email: string): Promise<Row> {
  return await truth(sandbox, `/api/v1/students/details?email=${encodeURIComponent(email)}`);
}

export async function ordersOf({ sandbox }: Academy, email: string): Promise<Row[]> {
  const all = await truths(sandbox, '/api/v1/orders?status=all', 'orders');
  return all.filter(({ user_email }) => words(user_email).toLowerCase() === email.toLowerCase());
}

export const titles = (record: Row, list: string) => rows(record[list]).map(({ title }) => title);

/** A new student with granted course 1, bundle 2 and role 3. */
export async function enrolled(academy: Academy) {
  const student = { email: 'new.student@example.com', name: 'New Student' };
  const { isError, text } = await academy.call('enroll_student', { ...student, course_id: 1, bundle_id: 2 });
  expect(isError, text).toBe(false);
  await academy.call('grant_role', { email: student.email, role_id: 3 });
  return student;
}
