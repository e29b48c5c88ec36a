import { expect, test } from 'vitest';
import { createRecentGrants } from '../../../src/api/writes/recent-writes.ts';
import { enrollStudent, revokeBundle, revokeCourse } from '../../../src/contract/access.ts';
import { createMemoryStore } from '../../../src/shared/shared-store.ts';

const email = 'ann@example.com';

/** Two replicas on one store, whose clock the test turns. */
function replicas() {
  const clock = { ms: 0 };
  const store = createMemoryStore({ now: () => clock.ms });
  return { clock, one: createRecentGrants(store), other: createRecentGrants(store) };
}

test('a grant of one replica is known to the other, in any capitals, for ten minutes', async () => {
  const { clock, one, other } = replicas();
  await one.afterWrite(enrollStudent, { email, course_id: 7 });
  clock.ms = 12_000;
  expect(await other.of('Ann@Example.com')).toEqual([{ ref: 'course 7', agoMs: 12_000 }]);
  expect(await other.of('bo@example.com')).toEqual([]);
  clock.ms = 600_000;
  expect(await other.of(email)).toEqual([]);
});

test('concurrent grants to one student are all remembered', async () => {
  const { one, other } = replicas();
  await Promise.all([
    one.afterWrite(enrollStudent, { email, course_id: 7 }),
    one.afterWrite(enrollStudent, { email, course_id: 8 }),
    other.afterWrite(enrollStudent, { email, bundle_id: 2 }),
  ]);
  expect((await one.of(email)).map(({ ref }) => ref).sort()).toEqual(['bundle 2', 'course 7', 'course 8']);
});

test('a revocation ends the memory of its course, and that of a bundle of everything', async () => {
  const { one, other } = replicas();
  await one.afterWrite(enrollStudent, { email, course_id: 7, bundle_id: 2 });
  await other.beforeWrite(revokeCourse, { email, course_id: 7 });
  expect((await one.of(email)).map(({ ref }) => ref)).toEqual(['bundle 2']);
  await one.afterWrite(enrollStudent, { email, course_id: 8 });
  await other.beforeWrite(revokeBundle, { email, bundle_id: 2 });
  expect(await one.of(email)).toEqual([]);
});
