import { type Academy, at, type Row, rows, under, words } from '../support/academy.ts';

/** The student that the access tests enroll. No seeded student has this email. */
export const email = 'new+student@example.org';

export const detailsPath = (of: string): string => `/api/v1/students/details?email=${encodeURIComponent(of)}`;

export const details = async (academy: Academy, of: string): Promise<Row> =>
  under(await academy.read(detailsPath(of)), 'student');

export const everyOrder = async (academy: Academy): Promise<Row[]> =>
  rows((await academy.read('/api/v1/orders?status=all')).orders);

export const ordersOf = async (academy: Academy, of: string): Promise<Row[]> =>
  (await everyOrder(academy)).filter(({ user_email }) => user_email === of);

export const enroll = (academy: Academy, subject: Row) =>
  academy.write('POST', '/api/v1/student/enroll', { email, name: 'New Student', ...subject });

export async function subjects(academy: Academy): Promise<{ course: Row; other: Row; bundle: Row }> {
  const courses = rows((await academy.read('/api/v1/courses')).courses);
  const bundles = rows((await academy.read('/api/v1/bundles')).bundles);
  return { course: at(courses, 0), other: at(courses, 1), bundle: at(bundles, 0) };
}

/** Ids of existing records, after enrolling the student: so a rejection can only be about the tested field. */
export async function realIds(academy: Academy): Promise<Row> {
  const { course, bundle } = await subjects(academy);
  const role = at(rows((await academy.read('/api/v1/courses/roles')).roles), 0);
  await enroll(academy, {});
  return { course_id: course.id, bundle_id: bundle.id, role_id: role.id };
}

export async function payingStudent(academy: Academy): Promise<Row> {
  for (const { email: of } of rows((await academy.read('/api/v1/students')).students)) {
    const student = await details(academy, words(of));
    if (student.paying_student === true) return student;
  }
  throw new Error('the seeded data hold no paying student on the first page');
}
