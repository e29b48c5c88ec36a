import { persons } from '../../academy/orders-data.ts';
import type { Harness, Probe } from '../probe.ts';
import { type Judged, judgeError, record, right, wrong } from '../verdict.ts';

// The time that an answer gives for what it has read: no later than the oldest of its parts, nor much earlier.

const tolerance = 60_000;

type Args = (harness: Harness) => Record<string, unknown>;
const product = { product: '11', product_type: 'course' };
const questions: readonly (readonly [tool: string, args: Args])[] = [
  ['find_buyers', () => product],
  ['sales_report', () => ({ group_by: 'country' })],
  ['unpaid_orders', () => ({ period: 'last_30_days' })],
  ['course_progress', () => ({ course_id: 11, max_requests: 200 })],
  ['student_profile', ({ email }) => ({ email: email(persons.bundleBuyer) })],
  ['diagnose_access', ({ email }) => ({ email: email(persons.buyer), ...product })],
  ['list_students', () => ({ sort: 'name' })],
  ['community_digest', () => ({})],
];

async function judge(harness: Harness, tool: string, args: Args): Promise<Judged> {
  const begun = harness.academy.now();
  const answer = await harness.call(tool, args(harness));
  if (answer.code !== 'ok') return judgeError(answer, harness.terms);
  const { coverage, as_of: own } = answer.data ?? {};
  const { as_of = own, changes_as_of = as_of } = record(coverage);
  const at = Date.parse(String(changes_as_of));
  const oldest = Math.max(0, ...harness.academy.log.map(({ ageMs }) => ageMs));
  if (Number.isNaN(at)) return wrong('the answer has no time');
  if (at > harness.academy.now() - oldest + tolerance) return wrong(`as of ${changes_as_of}, read ${oldest} ms older`);
  return at < begun - oldest - tolerance ? wrong(`as of ${changes_as_of}, which is too early`) : right;
}

export const timeProbes: readonly Probe[] = questions.map(([tool, args]) => ({
  name: `${tool}/time`,
  judge: (harness) => judge(harness, tool, args),
}));
