import { expect, test } from 'vitest';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../tools/index.ts';
import { connect } from '../support/connect.ts';
import { exampleCall } from '../support/every-call.ts';
import { expectedRequests, type Units } from '../support/expected-requests.ts';
import { requestsOf } from '../support/refusal.ts';
import { start } from '../support/sandbox.ts';

/** "Last week" must hold the same orders and posts in each run. */
const now = new Date('2026-11-20T12:00:00Z');

/** How often each part of the cost applies to the example. Left out: the first part once, no further one. */
const units: Readonly<Record<string, Units>> = {
  create_channel: [1, 1],
  apply_course_outline: [1, 1],
  enroll_student: [1, 1],
  reset_bundle_progress: [1, 3],
  // A page for each of the two statuses of a purchase.
  find_buyers: [2, 1],
  sales_report: [2],
  unpaid_orders: [6, 1, 40],
  course_progress: [2, 4, 1],
  student_profile: [1, 1, 8, 1],
  community_digest: [2, 2],
  sync_roster: [2, 1, 0, 2],
  offboard_student: [1, 7, 0, 1],
};

/** The sandbox's default academy. */
const startDefault = () => start({ students: undefined, orders: undefined, now });

/** A client of a program that has read nothing yet. */
const clientOf = ({ url }: { url: string }) =>
  connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' }, { now: () => now });

const openAcademy = async () => await clientOf(await startDefault());

async function expectExample(tool: Tool, { call }: Awaited<ReturnType<typeof openAcademy>>): Promise<void> {
  const answer = await call(tool.name, exampleCall(tool));
  expect(answer.isError, `${tool.name}: ${answer.text}`).toBe(false);
  const [least, most] = expectedRequests(tool.cost, units[tool.name]);
  expect(requestsOf(answer), `${tool.name}: requests`).toBeGreaterThanOrEqual(least);
  expect(requestsOf(answer), `${tool.name}: requests`).toBeLessThanOrEqual(most);
}

test('the example of each read tool succeeds, at its cost', async () => {
  const academy = await startDefault();
  // A program uses the pages that it read for one example in the next one.
  for (const tool of tools.filter(({ effect }) => effect === 'read'))
    await expectExample(tool, await clientOf(academy));
});

test.for(tools.filter(({ effect }) => effect !== 'read').map((tool) => [tool.name, tool] as const))(
  'the example of %s succeeds in a fresh academy, at its cost',
  async ([, tool]) => {
    await expectExample(tool, await openAcademy());
  },
);

test('a tool without cost or example does not compile', () => {
  const [tool] = tools;
  if (tool === undefined) throw new Error('there are no tools');
  const { cost, example, ...others } = tool;
  // @ts-expect-error: cost is required.
  const costless: Tool = { ...others, example };
  // @ts-expect-error: example is required.
  const unexplained: Tool = { ...others, cost };
  expect([costless, unexplained]).toHaveLength(2);
});
