import * as z from 'zod';
import { revokeBundle, revokeRole, unenrollStudent } from '../../src/contract/access.ts';
import { id, studentEmail } from '../../src/contract/schemas/input-fields.ts';
import { endedText, holdingsOf, isListedAnywhere, uncheckedEnd } from '../../src/insights/students/holdings.ts';
import { type OffboardingStep, orderLosses, stepName } from '../../src/insights/students/order-losses.ts';
import { lists, numbers, recordOutput, texts } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { productNamed, quotedName } from '../../src/mcp/titles.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { patient } from '../../src/workflows/batch.ts';
import { type FullBudget, planCost } from '../../src/workflows/requests-allowed.ts';
import { type EndedAccess, readEndedAccess } from '../../src/workflows/students/access-days.ts';
import {
  type Offboarding,
  type OffboardingReading,
  offboard,
  readOffboarding,
  type StepResult,
} from '../../src/workflows/students/offboard-student.ts';
import { identityLines, studentLines } from '../access/access-facts.ts';
import { lossesByProductLines } from '../access/loss-lines.ts';
import { comparedLosses } from '../access/read-around-write.ts';
import { byState, countsText, fateText } from '../record-result.ts';
import { nameLine } from './sales-output.ts';

const effects: Record<OffboardingStep['tool'], string> = {
  revoke_bundle:
    'takes its courses and downloads off every order too: the API document makes no exception for those bought separately',
  revoke_course: 'takes the course off every order, bought or granted',
  revoke_role: 'takes the role, with everything that it allows',
  unenroll_student: 'sets paying_student to false; the API documents no other effect, and no tool sets it back',
};

const toolsOf = (steps: readonly OffboardingStep[]) => [...new Set(steps.map(({ tool }) => tool))];

/** The steps by kind: `revoke_course 1 "Watercolour", 4 "Oil"; unenroll_student`. */
function stepsLine(steps: readonly OffboardingStep[], cost: string): string {
  const textOf = (tool: OffboardingStep['tool'], isConditional: boolean, start = '') => {
    const own = steps.filter((step) => step.tool === tool && Boolean(step.isConditional) === isConditional);
    const ids = own.flatMap(({ id, title }) =>
      id === undefined ? [] : [title === undefined ? id : `${id} ${quotedName(title)}`],
    );
    return own.length > 0 && `${start}${tool}${ids.length > 0 ? ` ${ids.join(', ')}` : ''}`;
  };
  const parts = toolsOf(steps).flatMap((tool) => [
    textOf(tool, false),
    textOf(tool, true, 'only if the bundles have not taken it: '),
  ]);
  return `${counted(steps.length, 'step')}, with confirm, reading included, about ${cost}: ${compact(parts).join('; ')}.`;
}

function cannotTake({ plan, known }: OffboardingReading, roleIds: readonly number[]): string[] {
  const others = roleIds.length > 0 ? 'other roles than these' : 'roles';
  const download = 'no call takes a download that is in no bundle of the student';
  const productsText = ({ products }: (typeof plan.unpaid)[number]) => products.map(productNamed).join(', ');
  return compact([
    ...plan.downloads.map((one) => `${productNamed(one)}: ${download}`),
    !('roles' in known.student) && `${others}: the API does not show which ones a student has; role_ids takes them`,
    ...plan.unpaid.map(
      (order) =>
        `order ${order.id} is ${order.status ?? 'of unknown status'} and stays: it may still give ${productsText(order)}`,
    ),
    'money: nothing is refunded, and orders keep their amounts',
    'the account, progress, posts and answers of the student stay',
  ]);
}

/** Each product that goes, with the orders that show how it is held. */
function productLines({ plan, known, holdings }: OffboardingReading, ended: EndedAccess): string[] {
  const losses = orderLosses(known.orders, plan.refs);
  const remark = (ref: string) => {
    const end = ended.get(ref);
    if (end !== undefined) return ` (access ended on ${end})`;
    return holdings.some((one) => one.ref === ref) ? '' : ' (not held: the order is not paid)';
  };
  const unexplained = holdings.filter(
    ({ ref, how, orders }) => plan.refs.includes(ref) && how === 'enrolled' && orders.length === 0,
  );
  return [
    ...lossesByProductLines(losses, { one: remark, all: (products) => endedText(products, ended) }),
    ...unexplained.map((one) => `  ${productNamed(one)}: held, and no order explains why`),
  ];
}

/** The plan, for the person who confirms it. Throws `not_applied` if there is nothing to take. */
function offboardingLines(
  email: string,
  roleIds: readonly number[],
  reading: OffboardingReading,
  { ended, allowance }: { ended: EndedAccess; allowance: FullBudget },
): string[] {
  const { plan, known, holdings } = reading;
  const stays = cannotTake(reading, roleIds).map((line) => `Not taken: ${line}.`);
  if (plan.steps.length === 0) {
    const lines = ['nothing is left to take', ...studentLines(email, known), ...stays];
    throw new AcademyError('not_applied', lines.join('\n'), { hint: 'Nothing is left to do.', outcome: 'not_applied' });
  }
  const requests = 3 * known.requests + plan.steps.length + (roleIds.length > 0 ? 1 : 0);
  const unchecked = uncheckedEnd(holdings, ended);
  return [
    ...identityLines(email, known),
    stepsLine(plan.steps, planCost(requests, allowance)),
    ...toolsOf(plan.steps).map((tool) => `  ${tool} ${effects[tool]}.`),
    ...stays,
    ...productLines(reading, ended),
    ...compact([unchecked && `Note: ${unchecked}.`]),
  ];
}

const offboardingOutput = recordOutput({
  ...texts('email'),
  /** The number of steps by state. */
  totals: z.record(z.string(), z.int()),
  /** The state by step. */
  steps: z.record(z.string(), z.string()),
  ...lists('taken'),
  still_holds: z.record(z.string(), z.string()),
  not_taken: z.array(z.string()),
  /** Without confirm. */
  plan: z.array(z.string()),
  verified: z.boolean(),
  ...texts('next'),
  ...numbers('requests_spent'),
});

const stepText = (result: StepResult) =>
  result.step.tool === 'revoke_role' && result.state === 'applied'
    ? 'applied: removed if it was held'
    : fateText(result);

const paying = 'paying_student';

/** What a step should have taken and is still held, by its ref; undefined if it was not read. */
function stillHeld({ before: { plan }, after }: Offboarding): Map<string, string> | undefined {
  if (after === undefined || after.problem !== undefined) return undefined;
  const products = holdingsOf(after).filter(({ ref }) => plan.refs.includes(ref));
  const left = new Map(products.map(({ ref, title }) => [ref, nameLine(title) ?? '']));
  const isUnenrolled = plan.steps.some(({ tool }) => tool === 'unenroll_student');
  return isUnenrolled && after.student.paying_student === true ? left.set(paying, 'true') : left;
}

/** An accepted step whose effect is not seen is of unknown outcome. */
function seenResults({ results }: Offboarding, left: ReadonlyMap<string, string>): StepResult[] {
  return results.map((result) => {
    const { tool, id } = result.step;
    const ref = tool === 'unenroll_student' ? paying : `${tool.replace('revoke_', '')} ${id}`;
    const isStill = result.state === 'applied' && left.has(ref);
    return isStill ? { ...result, state: 'unknown', why: 'the API accepted it, and still shows it' } : result;
  });
}

/** Whether every planned product is gone from all orders and details, as far as they could be read: all of them. */
function isSurelyGone({ before, after }: Offboarding): boolean {
  if (after === undefined) return false;
  return before.holdings
    .filter(({ ref }) => before.plan.refs.includes(ref))
    .every(({ kind, ref }) => isListedAnywhere(after, kind, ref) === false);
}

function nextOf(results: readonly StepResult[], left: ReadonlyMap<string, string> | undefined): string | undefined {
  const isOpen = results.some(({ state }) => ['failed', 'unknown', 'not_started'].includes(state));
  if (isOpen)
    return 'call again with the same arguments: it plans only what is left, and checks steps of unknown outcome';
  if (left === undefined) return 'check with student_profile: it could not be read back';
  return left.size > 0 ? 'check with student_profile: the API accepted the steps and still shows this' : undefined;
}

function presentOffboarding(
  email: string,
  roleIds: readonly number[],
  done: Offboarding,
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const { before, after } = done;
  const left = stillHeld(done);
  const results = seenResults(done, left ?? new Map());
  const totals = byState(results, ({ length }) => length);
  const steps = Object.fromEntries(results.map((result) => [stepName(result.step), stepText(result)]));
  const counts = compact([counted(results.length, 'step'), countsText(totals)]).join(', ');
  const { verified: _, ...losses } = comparedLosses(before.known.orders, left && after?.orders, before.plan.refs);
  const taken = Array.isArray(losses.taken) ? losses.taken : [];
  const still = [...(left ?? [])].map(([ref, title]) => `${ref} ${quotedName(title)}`).join(', ');
  const seen = still === '' ? 'nothing that was taken is held' : `still there: ${still}`;
  const answer = (most: number) => ({
    summary: `Offboarded ${email}: ${counts}. ${left === undefined ? 'Not read back' : `Read back: ${seen}`}.`,
    data: {
      email,
      ...(results.length > 0 && { totals, steps, ...losses }),
      taken: taken.slice(0, most),
      still_holds: left?.size ? Object.fromEntries(left) : undefined,
      not_taken: cannotTake(before, roleIds),
      verified: left?.size === 0 && isSurelyGone(done),
      next: nextOf(results, left),
      requests_spent: spent(),
    },
  });
  return withCut(answer, taken.length, 'read the orders with list_orders and user_email');
}

export const offboardStudent = defineTool({
  name: 'offboard_student',
  toolset: 'insights',
  title: 'Offboard a student',
  description:
    'Removes everything completely from a student who left (quits, is kicked out): all access, bundles, courses, the roles in role_ids, then paying_student. Without confirm: the plan: steps, orders of each product, what cannot be taken. With confirm it applies. After a partial failure call it again. No refund. For one product: revoke_course, revoke_bundle.',
  cost: { once: 4, 'per step': [1, 3], 'per further page or email spelling': 3, 'for roles and bundles': [0, 3] },
  example: { email: 'freya.hargreaves@example.net' },
  effect: 'destroy',
  repeat: 'same_effect',
  consent: true,
  writes: [revokeBundle, revokeRole, unenrollStudent],
  showsPlan: true,
  scope: 'academy:access',
  carriesUserContent: false,
  input: z.strictObject({
    email: studentEmail,
    role_ids: z
      .array(id('Role id'))
      .min(1)
      .max(20)
      .describe('From list_roles; the API does not show whose they are')
      .optional(),
  }),
  confirmationMessage: ({ email, role_ids = [] }) => {
    const roles = role_ids.length === 0 ? 'no role' : `the roles ${role_ids.join(', ')}`;
    return `This takes everything from ${email} that they hold when it runs, ${roles}, and their paying status. sales_report and find_buyers no longer count the orders for what is taken off them.`;
  },
  confirmationFacts: async ({ email, role_ids = [] }, context) => {
    const waiting = patient(context);
    const reading = await readOffboarding(waiting, email, role_ids);
    const ended = await readEndedAccess(reading.known, reading.holdings, Number.POSITIVE_INFINITY, waiting);
    return offboardingLines(email, role_ids, reading, { ended, allowance: context.budget() });
  },
  output: offboardingOutput,
  run: async ({ email, role_ids = [] }, context) =>
    presentOffboarding(email, role_ids, await offboard(email, role_ids, context), context),
});
