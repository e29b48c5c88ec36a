import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { tools } from '../../../tools/index.ts';
import { row } from '../../support/academy.ts';
import type { Human, ToolAnswer } from '../../support/connect.ts';
import { done, holderIn, lossesOf, startGuarded } from '../../support/guarded.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { propertiesOf } from '../../support/whole-rows.ts';

const agrees = (): ElicitResult => ({ action: 'accept', content: { agree: true } });

const refusals: [how: string, human: Human][] = [
  ['leaves the box unticked', () => ({ action: 'accept', content: { agree: false } })],
  ['declines', () => ({ action: 'decline' })],
  ['closes the question', () => ({ action: 'cancel' })],
  ['sends back an empty form', () => ({ action: 'accept' })],
  ['answers with what was not asked', () => ({ action: 'accept', content: { agree: 'yes' } })],
  [
    'cannot be reached',
    () => {
      throw new Error('the window is gone');
    },
  ],
];

function expectNothing(answer: ToolAnswer, code: string, writes: readonly string[]): string {
  const text = expectRefusal(answer, code);
  expect(text).toContain('Outcome: not_applied');
  expect(writes).toEqual([]);
  return text;
}

test('auto: a client that cannot ask continues with confirm: true, and without it gets instructions', async () => {
  const { sandbox, call, writes } = await startGuarded();
  for (const [tool, args] of lossesOf(holderIn(sandbox))) {
    const before = writes().length;
    const refused = expectRefusal(await call(tool, args), 'confirmation_required');
    expect(refused, tool).toMatch(/Hint: .*confirm: true\.$/m);
    expectRefusal(await call(tool, { ...args, confirm: false }), 'confirmation_required');
    for (const confirm of ['true', 'yes', 1]) expectRefusal(await call(tool, { ...args, confirm }), 'invalid_input');
    expect(writes().length, tool).toBe(before);
    expect((await call(tool, { ...args, confirm: true })).structured?.outcome, tool).toMatch(done);
    expect(writes().length, tool).toBe(before + 1);
  }
});

test('auto: a client that can ask shows a person the facts of the refusal, and the call runs if they agree', async () => {
  const asked: string[] = [];
  const human: Human = (question) => {
    asked.push(question.message);
    return agrees();
  };
  const { sandbox, call, writes } = await startGuarded({}, { human });
  const [, [tool, args] = ['', {}]] = lossesOf(holderIn(sandbox));
  const { text } = await call(tool, args);
  expect(asked).toEqual([]);
  expect((await call(tool, { ...args, confirm: true })).structured?.outcome).toBe('applied');
  expect(asked).toHaveLength(1);
  const facts = String(asked[0]).split('\n');
  expect(facts.length).toBeGreaterThan(3);
  for (const fact of facts) expect(text).toContain(fact.replace(/\.$/, ''));
  expect(writes()).toHaveLength(1);
});

test.for(refusals)('auto: a human who %s has refused, and nothing is sent', async ([, human]) => {
  const { sandbox, call, writes } = await startGuarded({}, { human });
  for (const [tool, args] of lossesOf(holderIn(sandbox))) {
    expectNothing(await call(tool, { ...args, confirm: true }), 'declined', writes());
  }
});

test('argument: confirm: true is enough, and nobody is asked', async () => {
  const human: Human = () => expect.unreachable('argument never asks');
  const { sandbox, call, writes } = await startGuarded({ ACADEMY_CONFIRM: 'argument' }, { human });
  const [, [tool, args] = ['', {}]] = lossesOf(holderIn(sandbox));
  expectNothing(await call(tool, args), 'confirmation_required', writes());
  expect((await call(tool, { ...args, confirm: true })).structured?.outcome).toBe('applied');
  expect(writes()).toHaveLength(1);
});

test('human: a client that cannot ask is refused with the facts, even with confirm', async () => {
  const { sandbox, call, writes } = await startGuarded({ ACADEMY_CONFIRM: 'human' });
  const holder = holderIn(sandbox);
  for (const [tool, args] of lossesOf(holder)) {
    const text = expectNothing(await call(tool, { ...args, confirm: true }), 'declined', writes());
    expect(text).toContain(`Student: "${holder.name}"`);
    expect(text).toContain('ACADEMY_CONFIRM=human');
  }
});

test('human: the call runs if the person agrees, and only then', async () => {
  const answers = [agrees(), { action: 'decline' } satisfies ElicitResult];
  const human: Human = () => answers.shift() ?? { action: 'cancel' };
  const { sandbox, call, writes } = await startGuarded({ ACADEMY_CONFIRM: 'human' }, { human });
  const [[tool, args] = ['', {}]] = lossesOf(holderIn(sandbox));
  expect((await call(tool, { ...args, confirm: true })).structured?.outcome).toBe('applied');
  expectRefusal(await call(tool, { ...args, confirm: true }), 'declined');
  expect(writes()).toHaveLength(1);
});

test('block: nothing is sent, nobody is asked, and no fact is read', async () => {
  const human: Human = () => expect.unreachable('block never asks');
  const { sandbox, call, between, writes } = await startGuarded({ ACADEMY_CONFIRM: 'block' }, { human });
  for (const [tool, args] of lossesOf(holderIn(sandbox))) {
    const text = expectNothing(await call(tool, { ...args, confirm: true }), 'declined', writes());
    expect(text).toContain('ACADEMY_CONFIRM=block');
  }
  expect(between.log).toEqual([]);
});

const kinds = [
  ['auto', 'boolean', 'false'],
  ['argument', 'boolean', 'false'],
  ['preview', 'string', 'false'],
  ['human', 'boolean', 'false'],
  ['block', 'boolean', 'false'],
  ['auto', 'boolean', 'true'],
] as const;

test.for(kinds)(
  '%s: confirm is a %s on every tool that needs it, as long as the process runs, lockdown: %s',
  async ([policy, type, lockdown]) => {
    const { client, call } = await startGuarded({ ACADEMY_CONFIRM: policy, ACADEMY_LOCKDOWN: lockdown });
    const listed = async () => (await client.listTools()).tools;
    const first = await listed();
    const guarded = first.filter(({ inputSchema }) => 'confirm' in propertiesOf(inputSchema));
    expect(guarded.map(({ name }) => name).sort()).toEqual(
      tools
        .filter(({ effect, consent }) => (lockdown === 'true' ? effect !== 'read' : effect === 'destroy' || consent))
        .map(({ name }) => name)
        .sort(),
    );
    for (const { inputSchema } of guarded) expect(row(propertiesOf(inputSchema).confirm).type).toBe(type);
    await call('search_posts', { id_or_slug: 1 });
    expect(JSON.stringify(await listed())).toBe(JSON.stringify(first));
  },
);
