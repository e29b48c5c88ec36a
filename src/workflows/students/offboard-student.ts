import type { Api, CallOptions } from '../../api/api.ts';
import type { JournalFacts } from '../../api/writes/journal.ts';
import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { revokeBundle, revokeCourse, revokeRole, unenrollStudent } from '../../contract/access.ts';
import { productRef } from '../../insights/sales/sold-order.ts';
import type { OffboardingStep } from '../../insights/students/offboarding.ts';
import { accessBefore } from '../../insights/students/order-losses.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { type EnrollmentResult, inTurn, resultFromNote } from '../enrollment/enroll-list.ts';
import { patient } from '../enrollment/student-lookup.ts';
import {
  type OffboardingReading,
  readOffboarding,
  readStudentHoldings,
  type StudentHoldings,
} from './plan-offboarding.ts';

/** `already_gone`: revoking a bundle took it too. */
export type StepState = 'applied' | 'already_gone' | 'failed' | 'unknown' | 'not_started';

export interface StepResult {
  readonly step: OffboardingStep;
  readonly state: StepState;
  readonly why?: string | undefined;
}

export interface Offboarding {
  readonly before: OffboardingReading;
  readonly results: readonly StepResult[];
  /** Undefined if it could not be read afterwards. */
  readonly after: StudentHoldings | undefined;
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

/** What the journal keeps of a step. */
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

/**
 * Takes everything from a student, one step after the other, and reads back. A failed step does not stop the others, but an
 * error that concerns all requests does. A further call makes the steps that are left.
 */
export async function offboard(email: string, roleIds: readonly number[], context: ToolContext): Promise<Offboarding> {
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
