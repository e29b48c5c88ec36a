import type { Api, CallOptions } from '../../api/api.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import type { JournalFacts } from '../../api/writes/journal.ts';
import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { revokeBundle, revokeCourse, revokeRole, unenrollStudent } from '../../contract/access.ts';
import { listRoles } from '../../contract/courses.ts';
import { productRef } from '../../insights/sales/sold-order.ts';
import { coursesInDetails } from '../../insights/students/courses-in-details.ts';
import { type Holding, holdingsOf } from '../../insights/students/holdings.ts';
import { accessBefore, type OffboardingStep, planOffboarding } from '../../insights/students/order-losses.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { refuseInput } from '../../shared/invalid-input.ts';
import { type EnrollmentResult, inTurn, resultFromNote } from '../enrollment/enroll-list.ts';
import { patient } from '../enrollment/student-lookup.ts';
import { readStudent, type StudentSource } from '../sales/read-orders.ts';

interface StudentHoldings {
  readonly known: StudentOrders;
  readonly orders: StudentOrders['orders'];
  readonly holdings: readonly Holding[];
}

/** Throws `not_found` if there is no such student. */
async function readStudentHoldings(source: StudentSource, email: string): Promise<StudentHoldings> {
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
export async function readOffboarding(source: StudentSource, email: string, roleIds: readonly number[]) {
  const [held, roles] = await Promise.all([
    readStudentHoldings(source, email),
    readRoles(source.api, [...new Set(roleIds)]),
  ]);
  const isPaying = held.known.student.paying_student;
  return { ...held, name: requiredName(held.known), plan: planOffboarding({ ...held, roles, isPaying }) };
}

/** `already_gone`: revoking a bundle took it too. */
export type StepState = 'applied' | 'already_gone' | 'failed' | 'unknown' | 'not_started';

export interface StepResult {
  readonly step: OffboardingStep;
  readonly state: StepState;
  readonly why?: string | undefined;
}

function send(api: Api, { tool, id = 0 }: OffboardingStep, email: string, name: string, options: CallOptions) {
  const writes = {
    revoke_bundle: () => api.call(revokeBundle, { email, bundle_id: id }, options),
    revoke_course: () => api.call(revokeCourse, { email, name, course_id: id }, options),
    revoke_role: () => api.call(revokeRole, { email, role_id: id }, options),
    unenroll_student: () => api.call(unenrollStudent, { email, name }, options),
  };
  return writes[tool]();
}

function factsOf({ tool, id = 0 }: OffboardingStep, orders: StudentHoldings['orders']): JournalFacts {
  if (tool === 'revoke_bundle') return { old: accessBefore(orders, 'bundle', id) };
  return tool === 'revoke_course' ? { old: accessBefore(orders, 'course', id) } : {};
}

/** Makes one step. `orders`: those of the student, before it. */
export async function makeStep(
  step: OffboardingStep,
  { email, name }: { readonly email: string; readonly name: string },
  orders: StudentHoldings['orders'],
  api: Api,
): Promise<ReturnType<typeof resultFromNote>> {
  const notes: WriteNote[] = [];
  const onNote = (note: WriteNote) => void notes.push(note);
  await send(api, step, email, name, { journal: factsOf(step, orders), onNote });
  return resultFromNote(notes.find(({ acceptedFields }) => acceptedFields !== undefined));
}

/** Undefined if the reading fails: the answer then says that it is not verified. */
async function readAgain(email: string, { api, signal }: ToolContext): Promise<StudentHoldings | undefined> {
  if (signal.aborted) return undefined;
  return await readStudentHoldings({ api }, email).catch((error: unknown) => {
    if (error instanceof AcademyError) return undefined;
    throw error;
  });
}

/** Whether a course is surely gone: nothing of the student was unreadable, and it is not among what they hold. */
function isGone({ id = 0 }: OffboardingStep, held: StudentHoldings | undefined): boolean {
  if (held === undefined || held.known.problem !== undefined || held.known.isCut) return false;
  const ref = productRef('course', id);
  return !held.holdings.some((holding) => holding.ref === ref);
}

/** A failed step does not stop the others; an error of all requests does. A further call makes the steps that are left. */
export async function offboard(email: string, roleIds: readonly number[], context: ToolContext) {
  const waiting = patient(context);
  const before = await readOffboarding({ api: waiting.api }, email, roleIds);
  const { name, plan } = before;
  let held: StudentHoldings | undefined;
  const make = async (step: OffboardingStep): Promise<EnrollmentResult<StepState>> => {
    // Bundles are first, so this is after them.
    if (step.isConditional) held ??= await readAgain(email, waiting);
    if (step.isConditional && isGone(step, held)) return { state: 'already_gone' };
    return await makeStep(step, { email, name }, (held ?? before).orders, context.api);
  };
  const made = await inTurn(plan.steps, make, context, 'steps');
  const results = plan.steps.map((step, index) => ({ step, ...(made[index] ?? { state: 'not_started' as const }) }));
  return { before, results, after: await readAgain(email, waiting) };
}

export type OffboardingReading = Awaited<ReturnType<typeof readOffboarding>>;
export type Offboarding = Awaited<ReturnType<typeof offboard>>;
