import { test } from 'vitest';
import { expectError, type Row, startAcademy } from '../support/academy.ts';
import { email, realIds } from './enrollments.ts';

const required: Record<string, Row> = {
  unenroll: { email, name: 'New Student' },
  'revoke-course': { email, name: 'New Student', course_id: 1 },
  'revoke-bundle': { email, bundle_id: 1 },
  'grant-role': { email, role_id: 1 },
  'revoke-role': { email, role_id: 1 },
  'reset-course-progress': { email, course_id: 1 },
  'reset-bundle-progress': { email, bundle_id: 1 },
};

test.each(Object.entries(required))('%s requires each of its parameters', async (name, fields) => {
  const academy = await startAcademy();
  const known = { ...fields, ...(await realIds(academy)) };
  for (const field of Object.keys(fields)) {
    const { [field]: _left, ...rest } = Object.fromEntries(Object.keys(fields).map((key) => [key, known[key]]));
    expectError(await academy.send('POST', `/api/v1/student/${name}`, rest), 422);
  }
});

test.each(Object.entries(required))('%s rejects an unknown student and an unknown id', async (name, fields) => {
  const academy = await startAcademy();
  const known = { ...fields, ...(await realIds(academy)) };
  const body = Object.fromEntries(Object.keys(fields).map((key) => [key, known[key]]));
  const path = `/api/v1/student/${name}`;
  expectError(await academy.send('POST', path, { ...body, email: 'nobody@example.invalid' }), 404, 'not_found');
  for (const field of Object.keys(fields).filter((key) => key.endsWith('_id'))) {
    expectError(await academy.send('POST', path, { ...body, [field]: 99999999 }), 404, 'not_found');
  }
});
