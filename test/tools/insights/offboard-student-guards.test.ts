import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { addOrder, newcomer } from '../../support/arrange.ts';
import { linesOf } from '../../support/audit-lines.ts';
import { startGuarded } from '../../support/guarded.ts';
import { callMessage, openSession, post, startHttp } from '../../support/http-server.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { propertiesOf } from '../../support/properties.ts';
import { expectPlan, expectRefusal } from '../../support/refusal.ts';
import { temporaryFile } from '../../support/sandbox.ts';

const name = 'offboard_student';

function leaver(sandbox: Sandbox) {
  const student = newcomer(sandbox);
  student.paying_student = true;
  addOrder(sandbox, student, { courses: [1] });
  return student;
}

test('each step of an offboarding has one entry in the audit log, under the tool that was called, without email or name', async () => {
  const file = await temporaryFile('audit.jsonl');
  const { sandbox, call, writes } = await startGuarded({ ACADEMY_AUDIT_LOG: file });
  const { email, name: person } = leaver(sandbox);
  expectPlan(await call(name, { email }));
  expect(await readFile(file, 'utf8').catch(() => '')).toBe('');
  expect((await call(name, { email, confirm: true })).structured?.verified).toBe(true);
  const entries = await linesOf(file);
  expect(entries).toHaveLength(writes().length);
  expect(entries.map(({ tool, operation, outcome }) => [tool, operation, outcome])).toEqual([
    [name, 'access.revokeCourse', 'applied'],
    [name, 'access.unenrollStudent', 'applied'],
  ]);
  expect(entries[0]?.ids).toEqual({ course_id: 1 });
  expect(new Set(entries.map(({ student }) => student)).size).toBe(1);
  const written = await readFile(file, 'utf8');
  for (const secret of [email, person]) expect(written).not.toContain(secret);
});

test('the plan of an offboarding has words of a student, so that under lockdown the next write needs consent', async () => {
  const { sandbox, call, writes } = await startGuarded({ ACADEMY_LOCKDOWN: 'true' });
  const { email } = leaver(sandbox);
  const channel = { name: 'Night school' };
  expect((await call('create_channel', channel)).isError).toBe(false);
  const before = writes().length;
  const plan = await call(name, { email });
  expectPlan(plan);
  expect(plan.structured?.by_members).toEqual(['plan']);
  expectRefusal(await call('create_channel', { name: 'Evening school' }), 'confirmation_required');
  expectPlan(await call(name, { email }));
  expect(writes()).toHaveLength(before);
  expect((await call(name, { email, confirm: true })).structured?.verified).toBe(true);
});

test('in read-only mode an offboarding is not listed, and sends nothing', async () => {
  const { sandbox, client, between } = await startGuarded({ ACADEMY_READ_ONLY: 'true' });
  const { email } = leaver(sandbox);
  expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain(name);
  await expect(client.callTool({ name, arguments: { email, confirm: true } })).rejects.toThrow('Unknown tool');
  expect(between.log).toEqual([]);
});

test('over HTTP an offboarding needs the scope of access, and sends nothing without it', async () => {
  const provider = await startIdentityProvider();
  const audience = 'https://mcp.example.com/mcp';
  const oauth = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const { sandbox, url } = await startHttp(oauth);
  const student = leaver(sandbox);
  const askWith = async (scope: string) => {
    const bearer = { authorization: `Bearer ${await provider.issue({ aud: audience, scope })}` };
    const session = { ...bearer, ...(await openSession(url, bearer)) };
    const given = { email: student.email, confirm: true };
    return (await post(url, callMessage(2, name, given), session)).text;
  };
  for (const scope of ['academy:read', 'academy:read academy:write']) {
    expect(await askWith(scope)).toMatch(/(forbidden|read_only): .*academy:access/);
    expect(student.paying_student).toBe(true);
  }
  await askWith('academy:access');
  expect(student.paying_student).toBe(false);
});

test('an offboarding lists confirm', async () => {
  const { client } = await startGuarded();
  const tool = (await client.listTools()).tools.find((one) => one.name === name);
  expect(Object.keys(propertiesOf(tool?.inputSchema ?? { type: 'object' }))).toEqual(['email', 'role_ids', 'confirm']);
});
