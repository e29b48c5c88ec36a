import { expect, test, vi } from 'vitest';
import { type Academy, at, type Row, row, rows, startAcademy, words } from '../support/academy.ts';
import { eventNames } from '../support/document.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';
import { differences } from '../support/shape.ts';
import { eventShapes } from '../support/shapes.ts';

const patience = { timeout: 20_000, interval: 20 };

test('enrolling a new student sends new_student with id, name and email', async () => {
  const { academy, hook } = await subscribed('new_student');
  const student = { email: 'ada+new@example.org', name: 'Ada New' };
  await academy.write('POST', '/api/v1/student/enroll', student);
  const payload = row(at(await deliveries(hook, 1), 0).body);
  expect(differences(payload, eventShapes.new_student)).toEqual([]);
  expect(payload).toMatchObject(student);
});

test('a granted course sends new_order with the order as the API returns it', async () => {
  const { academy, hook } = await subscribed('new_order');
  await enrollInBoth(academy, ['course_id']);
  const payload = row(at(await deliveries(hook, 1), 0).body);
  expect(differences(payload, eventShapes.new_order)).toEqual([]);
  expect(payload).toEqual(await academy.read(`/api/v1/orders/${payload.id}`));
});

test.each(eventNames)('simulated activity sends %s with exactly its fields', async (event) => {
  const { academy, hook } = await subscribed(event, 6000);
  const payload = row(at(await deliveries(hook, 1), 0).body);
  expect(differences(payload, eventShapes[event])).toEqual([]);
  if (event === 'new_order') return;
  const student = await academy.read(`/api/v1/students/details?email=${encodeURIComponent(words(payload.email))}`);
  expect(JSON.stringify(student)).toContain(`"id":${payload.id}`);
});

test('course_completed names a course that its student completed to 100 percent', async () => {
  const { academy, hook } = await subscribed('course_completed', 6000);
  const { email, course, course_id } = row(at(await deliveries(hook, 1), 0).body);
  expect((await academy.read(`/api/v1/courses/${course_id}`)).title).toBe(course);
  const path = `/api/v1/courses/${course_id}/completion-percentage`;
  const { body } = await academy.write('POST', path, { user_email: email });
  expect(body).toMatchObject({ email, course_completion_percent: 100 });
});

async function subscribed(
  event: (typeof eventNames)[number],
  activity = 0,
): Promise<{ academy: Academy; hook: Recorder }> {
  const hook = await startRecorder({});
  return { hook, academy: await startAcademy({ webhooks: [{ event, url: hook.url }], activity }) };
}

const deliveries = (hook: Recorder, count: number): Promise<Recorder['requests']> =>
  vi.waitFor(() => {
    expect(hook.requests.length).toBeGreaterThanOrEqual(count);
    return hook.requests;
  }, patience);

async function enrollInBoth(academy: Academy, fields: ('course_id' | 'bundle_id')[]): Promise<void> {
  const course_id = at(rows((await academy.read('/api/v1/courses')).courses), 0).id;
  const bundle_id = at(rows((await academy.read('/api/v1/bundles')).bundles), 0).id;
  const ids: Row = { course_id, bundle_id };
  const chosen = Object.fromEntries(fields.map((field) => [field, ids[field]]));
  await academy.write('POST', '/api/v1/student/enroll', { email: 'ada@example.org', name: 'Ada', ...chosen });
}
