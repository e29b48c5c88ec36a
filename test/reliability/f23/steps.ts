import * as fc from 'fast-check';
import type { Row } from './raw.ts';
import { type Change, changes, type World } from './world.ts';

/** The writes of this program: every tool with one write operation, and the two that write for many. */
export const writes = [
  'enroll_student',
  'enroll_new_student',
  'enroll_in_bundle',
  'unenroll_student',
  'revoke_course',
  'revoke_bundle',
  'grant_role',
  'revoke_role',
  'reset_course_progress',
  'reset_bundle_progress',
  'update_product',
  'create_channel',
  'update_channel',
  'create_lesson',
  'update_lesson',
  'sync_roster',
] as const;
type Write = (typeof writes)[number];

/** One step of a sequence. The numbers choose whom and what it concerns. */
export type Step = { readonly one: number; readonly other: number } & (
  | { readonly by: 'us'; readonly name: Write }
  | { readonly by: 'others'; readonly name: Change }
);

/** Writes that change orders come three times as often: they are what the copy can get wrong. */
const ownName = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...writes.slice(0, 6)) }, fc.constantFrom(...writes));
const number = fc.nat({ max: 5_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ by: fc.constant('us' as const), name: ownName, one: number, other: number }),
  fc.record({ by: fc.constant('others' as const), name: fc.constantFrom(...changes), one: number, other: number }),
);

/** Each begins with another write, so that every one of them is tried. */
export function sequences(count: number, seed: number): Step[][] {
  const first = fc.record({ one: number, other: number });
  const sampled = fc.sample(fc.tuple(first, fc.array(step, { maxLength: 7 })), { numRuns: count, seed });
  return sampled.map(([numbers, steps], index) => {
    return [{ by: 'us', name: writes[index % writes.length] ?? writes[0], ...numbers }, ...steps];
  });
}

/** The tool and the arguments of a write. */
export function toolCall(name: Write, one: number, other: number, { person }: World): [tool: string, args: Row] {
  const who = person(one, other);
  const [course_id, bundle_id, role_id] = [1 + (other % 13), 1 + (other % 12), 1 + (other % 3)];
  const confirm = true;
  const calls: Readonly<Record<Write, [string, Row]>> = {
    enroll_student: ['enroll_student', { ...who, course_id }],
    enroll_new_student: ['enroll_student', { email: `Some.One+${one}@Example.com`, name: `Someone ${one}`, course_id }],
    enroll_in_bundle: ['enroll_student', { ...who, bundle_id }],
    unenroll_student: ['unenroll_student', { ...who, confirm }],
    revoke_course: ['revoke_course', { ...who, course_id, confirm }],
    revoke_bundle: ['revoke_bundle', { email: who.email, bundle_id, confirm }],
    grant_role: ['grant_role', { email: who.email, role_id }],
    revoke_role: ['revoke_role', { email: who.email, role_id, confirm }],
    reset_course_progress: ['reset_course_progress', { email: who.email, course_id, confirm }],
    reset_bundle_progress: ['reset_bundle_progress', { email: who.email, bundle_id, confirm }],
    update_product: [
      'update_product',
      { product_type: 'course', id_or_slug: String(course_id), title: `Our title ${one}` },
    ],
    create_channel: ['create_channel', { name: `Channel ${one}`, group_id: 1 + (other % 3) }],
    update_channel: ['update_channel', { id_or_slug: String(1 + (other % 5)), description: `Words ${one}` }],
    create_lesson: ['create_lesson', { course_id, title: `Lesson ${one}`, is_published: true }],
    update_lesson: ['update_lesson', { lesson_id: 1000 + (one % 200), title: `Another title ${other}` }],
    sync_roster: ['sync_roster', { students: [who, person(other, one)], product: `course ${course_id}`, confirm }],
  };
  return calls[name];
}
