import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const students = [
    { email: 'ewan.begum@example.net' },
    { email: 'itzel.quinones2@example.com', name: 'Itzel Quiñones Mora' },
    { email: 'freya.llewellyn@example.com' },
  ];
  await call('bulk_enroll_students', { students, course_id: 6, confirm: true });
  return 'All three have it, once.';
};
