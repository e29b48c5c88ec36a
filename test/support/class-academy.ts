import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { addOrder, newcomer } from './arrange.ts';
import { startGuarded } from './guarded.ts';
import { temporaryFolder } from './sandbox.ts';

// A class that sync_roster compares with lists.

export const tool = 'sync_roster';
export const product = 'course 1';

/** Who has an order with course 1, other than pending and failed ones. */
export function holdersIn({ academy }: Sandbox): string[] {
  const given = academy.orders.all().filter(({ courses, status }) => courses.includes(1) && /paid|wallet/.test(status));
  return [...new Set(given.map(({ user_email }) => user_email.toLowerCase()))].sort();
}

/** A student, called after their address, with one order. */
export function add(sandbox: Sandbox, email: string, order: Parameters<typeof addOrder>[2]) {
  const student = sandbox.academy.students.withEmail(email) ?? newcomer(sandbox, email);
  student.name = email.replace(/@.*/, '');
  return addOrder(sandbox, student, { amount: '0.00', ...order });
}

/** An academy without orders, in which these hold course 1, and a folder for lists. */
export async function startClass(granted: readonly string[] = [], paid: readonly string[] = [], settings = {}) {
  const folder = temporaryFolder();
  const guarded = await startGuarded({ ACADEMY_IMPORT_DIR: folder, ...settings }, {}, { students: 3, orders: 0 });
  for (const email of granted) add(guarded.sandbox, email, { courses: [1] });
  for (const email of paid) add(guarded.sandbox, email, { courses: [1], amount: '49.00' });
  const save = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
  return { ...guarded, folder, save };
}

export const many = (count: number) => Array.from({ length: count }, (_, index) => `s${index}@example.com`);
