import type { SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { endedText, uncheckedEnd } from '../../src/insights/students/holdings.ts';
import type { OffboardingStep } from '../../src/insights/students/offboarding.ts';
import { orderLosses } from '../../src/insights/students/order-losses.ts';
import { type FullBudget, minutesAtFullBudget, minutesText } from '../../src/insights/wait-estimate.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { quotedName } from '../../src/mcp/titles.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { identityLines, studentLines } from '../../src/workflows/students/access-facts.ts';
import type { EndedAccess } from '../../src/workflows/students/ended-access.ts';
import { lossesByProductLines, productNamed } from '../../src/workflows/students/loss-lines.ts';
import type { OffboardingReading } from '../../src/workflows/students/plan-offboarding.ts';

const effects: Record<OffboardingStep['tool'], string> = {
  revoke_bundle:
    'takes its courses and downloads off every order too: the API document makes no exception for those bought separately',
  revoke_course: 'takes the course off every order, bought or granted',
  revoke_role: 'takes the role, with everything that it allows',
  unenroll_student: 'sets paying_student to false; the API documents no other effect, and no tool sets it back',
};

/** `revoke_course 1 "Watercolour", 4 "Oil"`. */
function stepsText(tool: OffboardingStep['tool'], steps: readonly OffboardingStep[]): string {
  const ids = steps.flatMap(({ id, title }) => {
    if (id === undefined) return [];
    return [title === undefined ? String(id) : `${id} ${quotedName(title)}`];
  });
  return ids.length === 0 ? tool : `${tool} ${ids.join(', ')}`;
}

/** The steps by kind, in their order. */
function stepsLine(steps: readonly OffboardingStep[], requests: number, time: string): string {
  const tools = [...new Set(steps.map(({ tool }) => tool))];
  const parts = tools.flatMap((tool) => {
    const own = steps.filter((step) => step.tool === tool);
    const [sure, rest] = [own.filter((step) => !step.isConditional), own.filter((step) => step.isConditional)];
    return [
      ...(sure.length > 0 ? [stepsText(tool, sure)] : []),
      ...(rest.length > 0 ? [`only if the bundles have not taken it: ${stepsText(tool, rest)}`] : []),
    ];
  });
  return `${counted(steps.length, 'step')}, about ${counted(requests, 'request')} with confirm, reading included, ${time}: ${parts.join('; ')}.`;
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

/** Each product that goes, with the orders that show how it is held. */
function productLines({ plan, orders, holdings }: OffboardingReading, ended: EndedAccess): string[] {
  const losses = orderLosses(orders, plan.refs);
  const planned = new Set(plan.refs);
  const held = new Set(holdings.map(({ ref }) => ref));
  const remark = (ref: string) => {
    const end = ended.get(ref);
    if (end !== undefined) return ` (access ended on ${end})`;
    return held.has(ref) ? '' : ' (not held: the order is not paid)';
  };
  const unexplained = holdings.filter(
    ({ ref, how, orders: through }) => planned.has(ref) && how === 'enrolled' && through.length === 0,
  );
  return [
    ...lossesByProductLines(losses, { one: remark, all: (products) => endedText(products, ended) }),
    ...unexplained.map((one) => `  ${productNamed(one)}: held, and no order explains why`),
  ];
}

/** The plan, for the person who confirms it. Throws `not_applied` if there is nothing to take. */
export function offboardingLines(
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
  const minutes = minutesText(minutesAtFullBudget(requests, allowance));
  const unchecked = uncheckedEnd(holdings, ended);
  return [
    ...identityLines(email, known),
    stepsLine(plan.steps, requests, minutes),
    ...effectLines(plan.steps),
    ...stays,
    ...productLines(reading, ended),
    ...(unchecked === undefined ? [] : [`Note: ${unchecked}.`]),
  ];
}
