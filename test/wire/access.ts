import type { WireCase } from './case.ts';

const email = 'ann+piano@example.com';
const name = 'Ann Lee';
const done = { body: { success: true } };

export const accessCases: readonly WireCase[] = [
  {
    endpoint: 'POST /api/v1/student/enroll',
    when: 'with an email alone',
    tool: 'enroll_student',
    arguments: { email },
    sends: { method: 'POST', path: '/api/v1/student/enroll', body: { email } },
    answers: done,
    tells: [email],
  },
  {
    endpoint: 'POST /api/v1/student/enroll',
    when: 'with every argument',
    tool: 'enroll_student',
    arguments: { email, name, course_id: 4711, bundle_id: 81 },
    sends: { method: 'POST', path: '/api/v1/student/enroll', body: { email, name, course_id: 4711, bundle_id: 81 } },
    answers: done,
    tells: [email, 4711, 81],
  },
  {
    endpoint: 'POST /api/v1/student/unenroll',
    when: 'confirmed',
    tool: 'unenroll_student',
    arguments: { email, name, confirm: true },
    sends: { method: 'POST', path: '/api/v1/student/unenroll', body: { email, name } },
    answers: done,
    tells: [email],
  },
  {
    endpoint: 'POST /api/v1/student/revoke-course',
    when: 'confirmed',
    tool: 'revoke_course',
    arguments: { email, name, course_id: 4711, confirm: true },
    sends: { method: 'POST', path: '/api/v1/student/revoke-course', body: { email, name, course_id: 4711 } },
    answers: done,
    tells: [email, 4711],
  },
  {
    endpoint: 'POST /api/v1/student/revoke-bundle',
    when: 'confirmed',
    tool: 'revoke_bundle',
    arguments: { email, bundle_id: 81, confirm: true },
    sends: { method: 'POST', path: '/api/v1/student/revoke-bundle', body: { email, bundle_id: 81 } },
    answers: done,
    tells: [email, 81],
  },
  {
    endpoint: 'POST /api/v1/student/grant-role',
    when: 'always',
    tool: 'grant_role',
    arguments: { email, role_id: 31 },
    sends: { method: 'POST', path: '/api/v1/student/grant-role', body: { email, role_id: 31 } },
    answers: done,
    tells: [email, 31],
  },
  {
    endpoint: 'POST /api/v1/student/revoke-role',
    when: 'confirmed',
    tool: 'revoke_role',
    arguments: { email, role_id: 31, confirm: true },
    sends: { method: 'POST', path: '/api/v1/student/revoke-role', body: { email, role_id: 31 } },
    answers: done,
    tells: [email, 31],
  },
  {
    endpoint: 'POST /api/v1/student/reset-course-progress',
    when: 'confirmed',
    tool: 'reset_course_progress',
    arguments: { email, course_id: 4711, confirm: true },
    sends: { method: 'POST', path: '/api/v1/student/reset-course-progress', body: { email, course_id: 4711 } },
    answers: done,
    tells: [email, 4711],
  },
  {
    endpoint: 'POST /api/v1/student/reset-bundle-progress',
    when: 'confirmed',
    tool: 'reset_bundle_progress',
    arguments: { email, bundle_id: 81, confirm: true },
    sends: { method: 'POST', path: '/api/v1/student/reset-bundle-progress', body: { email, bundle_id: 81 } },
    answers: done,
    tells: [email, 81],
  },
];
