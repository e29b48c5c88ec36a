import { expect, onTestFinished, test } from 'vitest';
import { type Row, row, rows } from '../support/academy.ts';
import { requestsOf } from '../support/refusal.ts';
import { type BothWays, bothWays } from './both-ways.ts';

// Questions about one student: the mirror gives the orders if the details of the student confirm them.

const email = (both: BothWays, place: number) => both.sandbox.academy.students.all()[place]?.email ?? '';

async function start() {
  const both = await bothWays({ students: 40, orders: 300 });
  onTestFinished(() => both.sandbox.close());
  return both;
}

/** What an answer says of the student. How it was read may differ. */
function factsOf({ structured = {} }: { structured: Row | undefined }): Row {
  const {
    coverage,
    requests_spent: _spent,
    as_of: _as,
    new_up_to: _new,
    changes_as_of: _changes,
    source: _source,
    ...facts
  } = structured;
  const { complete, unreadable, doubtful } = row(coverage ?? {});
  return { ...facts, complete, unreadable, doubtful };
}

test('the profile of each student is that of the API, for fewer requests', async () => {
  const both = await start();
  for (let place = 0; place < 40; place += 1) {
    const asked = { email: email(both, place), max_requests: 60 };
    const [read, copied] = [
      await both.api.call('student_profile', asked),
      await both.mirrored.call('student_profile', asked),
    ];
    expect(factsOf(copied), copied.text).toEqual(factsOf(read));
    expect(row(copied.structured?.coverage).source, copied.text).toBe('mirror and API');
    expect(Number(requestsOf(copied))).toBeLessThan(Number(requestsOf(read)));
  }
});

test('a diagnosis is that of the API, also where no order gives the product', async () => {
  const both = await start();
  for (let place = 0; place < 40; place += 1) {
    const asked = { email: email(both, place), product: `course ${1 + (place % 9)}` };
    const [read, copied] = [
      await both.api.call('diagnose_access', asked),
      await both.mirrored.call('diagnose_access', asked),
    ];
    expect(factsOf(copied), copied.text).toEqual(factsOf(read));
    const isHeld = rows(read.structured?.through ?? []).length > 0;
    expect(copied.structured?.source, copied.text).toBe(isHeld ? 'mirror and API' : undefined);
  }
});

test('an order that somebody else changed is read from the API, since the details show it', async () => {
  const both = await start();
  const { academy } = both.sandbox;
  const order = academy.orders.all().find(({ courses, status }) => status === 'paid' && courses.length > 0);
  if (order === undefined) throw new Error('no order');
  const asked = { email: order.user_email };
  const before = await both.mirrored.call('student_profile', asked);
  order.courses = [];
  const [read, copied] = [
    await both.api.call('student_profile', asked),
    await both.mirrored.call('student_profile', asked),
  ];
  expect(factsOf(copied), copied.text).toEqual(factsOf(read));
  expect(factsOf(copied)).not.toEqual(factsOf(before));
  expect(row(copied.structured?.coverage).source).toBeUndefined();
});

test('the effect of a revocation is read from the API', async () => {
  const both = await start();
  const order = both.sandbox.academy.orders
    .all()
    .find(({ courses, status }) => status === 'paid' && courses.length > 0);
  if (order === undefined) throw new Error('no order');
  const { user_email: student, courses } = order;
  const revoked = await both.mirrored.call('revoke_course', { email: student, course_id: courses[0], confirm: true });
  expect(revoked.structured, revoked.text).toMatchObject({ verified: true });
  const profile = await both.mirrored.call('student_profile', { email: student });
  const held = rows(profile.structured?.holds ?? []).map(({ product }) => product);
  expect(held, profile.text).not.toContain(`course ${courses[0]}`);
});
