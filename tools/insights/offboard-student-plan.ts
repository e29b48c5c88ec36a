import type { SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { mayHaveEnded } from '../../src/insights/students/holdings.ts';
import { type OffboardingStep, stepName } from '../../src/insights/students/offboarding.ts';
import { type FullBudget, minutesAtFullBudget, minutesText } from '../../src/insights/wait-estimate.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { quotedName } from '../../src/mcp/titles.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { studentLines } from '../../src/workflows/students/access-facts.ts';
import { productNamed, shortLossLines } from '../../src/workflows/students/loss-lines.ts';
import type { OffboardingReading } from '../../src/workflows/students/plan-offboarding.ts';

const effects: Record<OffboardingStep['tool'], string> = {
  revoke_bundle:
    'takes the bundle, and its courses and downloads off the orders, perhaps also those bought on their own',
  revoke_course: 'takes the course off every order, bought or granted',
  revoke_role: 'takes the role, with everything that it allows',
  unenroll_student: 'sets paying_student to false; the API documents no other effect, and no tool sets it back',
};

function stepLine(step: OffboardingStep, index: number): string {
  const title = step.title === undefined ? '' : ` ${quotedName(step.title)}`;
  const condition = step.isConditional ? ', if the bundle has not taken it' : '';
  return `  ${index + 1}. ${stepName(step)}${title}${condition}`;
}

/** What each tool of the plan does, once. */
function effectLines(steps: readonly OffboardingStep[]): string[] {
  const used = [...new Set(steps.map(({ tool }) => tool))];
  return used.map((tool) => `  ${tool} ${effects[tool]}.`);
}

function unpaidLine({ id, status, products }: SoldOrder): string {
  return `order ${id} is ${status ?? 'of unknown status'} and stays: it may still give ${products.map(productNamed).join(', ')}`;
}

/** What stays, and what no call can take. */
export function cannotTake({ plan, known }: OffboardingReading, roleIds: readonly number[]): string[] {
  const others = roleIds.length > 0 ? 'other roles than these' : 'roles';
  const roles =
    'roles' in known.student ? [] : [`${others}: the API does not show which ones a student has; role_ids takes them`];
  return [
    ...plan.downloads.map(
      (one) => `${productNamed(one)}: no call takes a download that is in no bundle of the student`,
    ),
    ...roles,
    ...plan.unpaid.map(unpaidLine),
    'money: nothing is refunded, and orders keep their amounts',
    'the account, progress, posts and answers of the student stay',
  ];
}

/** The plan, for the person who confirms it. Throws `not_applied` if there is nothing to take. */
export function offboardingLines(
  email: string,
  roleIds: readonly number[],
  reading: OffboardingReading,
  allowance: FullBudget,
): string[] {
  const { plan, orders, known, holdings } = reading;
  const stays = cannotTake(reading, roleIds).map((line) => `Not taken: ${line}.`);
  if (plan.steps.length === 0) {
    const lines = ['nothing is left to take', ...studentLines(email, known), ...stays];
    throw new AcademyError('not_applied', lines.join('\n'), { hint: 'Nothing is left to do.', outcome: 'not_applied' });
  }
  const requests = 3 * known.requests + plan.steps.length + (roleIds.length > 0 ? 1 : 0);
  const minutes = minutesText(minutesAtFullBudget(requests, allowance));
  return [
    ...studentLines(email, known),
    ...(holdings.length > 0 ? [`Of these, ${mayHaveEnded}.`] : []),
    `${counted(plan.steps.length, 'step')}:`,
    ...plan.steps.map(stepLine),
    ...effectLines(plan.steps),
    ...shortLossLines(orders, plan.refs),
    ...stays,
    `Cost: about ${counted(requests, 'request')}; ${minutes}.`,
  ];
}
