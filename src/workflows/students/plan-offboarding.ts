import type { Api } from '../../api/api.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import { listRoles } from '../../contract/courses.ts';
import { coursesInDetails } from '../../insights/students/courses-in-details.ts';
import { type Holding, holdingsOf } from '../../insights/students/holdings.ts';
import { type OffboardingPlan, planOffboarding } from '../../insights/students/offboarding.ts';
import { AcademyError } from '../../shared/errors.ts';
import { refuseInput } from '../../shared/invalid-input.ts';
import { readStudent, type StudentSource } from '../sales/read-orders.ts';

/** What a student holds at one moment. */
export interface StudentHoldings {
  readonly known: StudentOrders;
  readonly orders: StudentOrders['orders'];
  readonly holdings: readonly Holding[];
}

export interface OffboardingReading extends StudentHoldings {
  readonly plan: OffboardingPlan;
  /** The name of the student, which some writes need. */
  readonly name: string;
}

/** Throws `not_found` if there is no such student. */
export async function readStudentHoldings(source: StudentSource, email: string): Promise<StudentHoldings> {
  const known = await readStudent(email, {}, source);
  return {
    known,
    orders: known.orders,
    holdings: holdingsOf(known.orders, coursesInDetails(known.student)),
  };
}

async function readRoles(api: Api, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const { items } = await api.call(listRoles, {});
  const unknown = ids.filter((id) => !items.some((role) => role.id === id));
  if (unknown.length > 0) throw refuseInput([`role_ids: list_roles does not show ${unknown.join(', ')}`]);
  return ids.map((id) => ({ id, title: items.find((role) => role.id === id)?.name }));
}

function requiredName({ student }: StudentOrders): string {
  const name = student.name?.trim();
  if (name) return name;
  throw new AcademyError('not_applied', 'the API shows no name of this student, and revoking a course needs one', {
    hint: 'Use revoke_bundle, revoke_course and unenroll_student with the name.',
    outcome: 'not_applied',
  });
}

/** Reads what a student holds, and plans to take all of it. Sends read requests only. */
export async function readOffboarding(
  source: StudentSource,
  email: string,
  roleIds: readonly number[],
): Promise<OffboardingReading> {
  const [held, roles] = await Promise.all([
    readStudentHoldings(source, email),
    readRoles(source.api, [...new Set(roleIds)]),
  ]);
  const isPaying = held.known.student.paying_student;
  return { ...held, name: requiredName(held.known), plan: planOffboarding({ ...held, roles, isPaying }) };
}
