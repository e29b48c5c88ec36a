import type { Api } from '../../api/api.ts';
import { undefinedIfFailed } from '../../api/partial-failure.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import { listRoles } from '../../contract/courses.ts';
import type { Fate } from '../../insights/enrollment/plan.ts';
import { productRef } from '../../insights/sales/sold-order.ts';
import { holdingsOf } from '../../insights/students/holdings.ts';
import { type OffboardingStep, planOffboarding } from '../../insights/students/order-losses.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { refuseInput } from '../../shared/invalid-input.ts';
import { patient } from '../batch.ts';
import { inTurn, take } from '../enrollment/in-turn.ts';
import { readStudent, type StudentSource } from '../sales/read-orders.ts';

async function readRoles(api: Api, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const { items } = await api.call(listRoles, {});
  const unknown = ids.filter((id) => !items.some((role) => role.id === id));
  if (unknown.length > 0) throw refuseInput([`role_ids: list_roles does not show ${unknown.join(', ')}`]);
  return ids.map((id) => ({ id, title: items.find((role) => role.id === id)?.name }));
}

/** Reads what a student holds, and plans to take all of it. Sends read requests only. Throws `not_found` if there is no such student. */
export async function readOffboarding(source: StudentSource, email: string, roleIds: readonly number[]) {
  const [known, roles] = await Promise.all([
    readStudent(email, {}, source),
    readRoles(source.api, [...new Set(roleIds)]),
  ]);
  const { orders, student } = known;
  const name = student.name?.trim();
  if (!name)
    throw new AcademyError('not_applied', 'the API shows no name of this student, and revoking a course needs one', {
      hint: 'Use revoke_bundle, revoke_course and unenroll_student with the name.',
      outcome: 'not_applied',
    });
  const holdings = holdingsOf(known);
  const plan = planOffboarding({ orders, holdings, roles, isPaying: student.paying_student });
  return { known, holdings, name, plan };
}

/** Undefined if the reading fails: the answer then says that it is not verified. */
async function readAgain(email: string, { api, signal }: ToolContext): Promise<StudentOrders | undefined> {
  if (signal.aborted) return undefined;
  return await undefinedIfFailed(readStudent(email, {}, { api }));
}

/** Whether a course is surely gone: nothing of the student was unreadable, and it is not among what they hold. */
function isGone({ id = 0 }: OffboardingStep, known: StudentOrders | undefined): boolean {
  if (known === undefined || known.problem !== undefined || known.isCut) return false;
  return !holdingsOf(known).some(({ ref }) => ref === productRef('course', id));
}

/** A failed step does not stop the others; an error of all requests does. A further call makes the steps that are left. */
export async function offboard(email: string, roleIds: readonly number[], context: ToolContext) {
  const waiting = patient(context);
  const before = await readOffboarding({ api: waiting.api }, email, roleIds);
  const { name, plan } = before;
  let now: StudentOrders | undefined;
  const make = async (step: OffboardingStep): Promise<Fate> => {
    // Bundles are first, so this is after them.
    if (step.isConditional) now ??= await readAgain(email, waiting);
    if (step.isConditional && isGone(step, now)) return { state: 'already_gone' };
    return await take(step, { email, name }, (now ?? before.known).orders, context.api);
  };
  const fates = await inTurn(plan.steps, make, context, 'steps');
  const results = plan.steps.map((step, index) => ({ step, ...(fates[index] ?? { state: 'not_started' as const }) }));
  return { before, results, after: await readAgain(email, waiting) };
}

export type StepResult = Fate & { readonly step: OffboardingStep };

export type OffboardingReading = Awaited<ReturnType<typeof readOffboarding>>;
export type Offboarding = Awaited<ReturnType<typeof offboard>>;
