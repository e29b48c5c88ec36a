import { expect } from 'vitest';
import type { Row } from '../support/academy.ts';
import { coverageOf } from './both-ways.ts';
import { rowsOf, type startMirror } from './start-mirror.ts';

export type Started = Awaited<ReturnType<typeof startMirror>>;

/** Somebody who holds a course and nothing else that lists it. */
export async function someHolder(academy: Started): Promise<{ email: string; name: string; course_id: number }> {
  const sql =
    "SELECT email, name, product_id FROM holdings WHERE kind = 'course' AND how = 'bought' ORDER BY since LIMIT 1";
  const [held] = await rowsOf(academy, sql);
  return { email: String(held?.email), name: String(held?.name), course_id: Number(held?.product_id) };
}

export const emailsOf = ({ structured }: { structured: Row | undefined }) =>
  ((structured?.buyers ?? []) as Row[]).map(({ email }) => String(email).toLowerCase());

export const buyersOf = (course_id: number) =>
  ['find_buyers', { product: String(course_id), product_type: 'course', include_granted: true, limit: 500 }] as const;

/** Resolves when the mirror answers again. */
export async function whenMirrored({ call }: Started, [tool, args]: readonly [string, Row]): Promise<void> {
  const source = async () => coverageOf(await call(tool, args)).source;
  await expect.poll(source, { timeout: 20_000, interval: 100 }).toBe('mirror');
}
