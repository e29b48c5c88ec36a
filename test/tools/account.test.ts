import { expect, test } from 'vitest';
import { row } from '../support/academy.ts';
import { connectToApi, startAcademy } from '../support/connect.ts';
import { requestsOf } from '../support/refusal.ts';
import { truth } from '../support/truth.ts';

test('get_account shows the account, its enabled features and the names of the events', async () => {
  const { sandbox, call } = await startAcademy();
  const { account, capabilities, webhook_events } = await truth(sandbox, '/api/v1/account');
  const answer = await call('get_account');
  expect(answer.structured).toEqual({ account, capabilities_on: Object.keys(row(capabilities)), webhook_events });
  expect(answer.text).toContain('subscription_plan=standard');
  expect(requestsOf(answer)).toBe(1);
});

test('get_account separates enabled from disabled features, and keeps unknown fields', async () => {
  const body = {
    account: { subdomain: 'tiny', custom_domain: null, seats: 12 },
    capabilities: { admin_api: true, manage_lessons: false, teleport: true },
    motd: 'hello',
  };
  const { call } = await connectToApi({ body });
  const { structured, text } = await call('get_account');
  expect(structured).toEqual({
    account: { subdomain: 'tiny', seats: 12 },
    capabilities_on: ['admin_api', 'teleport'],
    capabilities_off: ['manage_lessons'],
    motd: 'hello',
  });
  expect(text).toContain('capabilities_off: manage_lessons');
});

test('get_account counts a capability that is neither true nor false', async () => {
  const body = { account: { subdomain: 'tiny' }, capabilities: { admin_api: true, read_orders: 'partly' } };
  const { call } = await connectToApi({ body });
  const { structured } = await call('get_account');
  expect(structured).toMatchObject({
    capabilities_on: ['admin_api'],
    coverage: { complete: false, unreadable: { values: 1 } },
  });
});

test('get_account with a wrong key says which settings to look at', async () => {
  const { call } = await startAcademy({}, { ACADEMY_API_KEY: 'not-the-key' });
  const { isError, text } = await call('get_account');
  expect(isError).toBe(true);
  expect(text).toMatch(/^unauthorized: /);
  expect(text).toContain('ACADEMY_API_KEY');
  expect(text).not.toContain('not-the-key');
});
