import { expect, test } from 'vitest';
import { signsAgainst } from '../../../src/insights/students/courses-in-details.ts';
import { now } from '../../support/sold.ts';

const [past, future] = ['2026-01-01', '2027-01-01T00:00:00Z'];

const against = {
  status: 'suspended',
  enrollment_state: 'cancelled',
  access_status: 'Expired',
  is_active: false,
  has_access: 'false',
  enabled: 0,
  suspended: true,
  suspended_at: past,
  isSuspended: 1,
  revoked_on: past,
  refunded_at: past,
  deleted_at: past,
  blocked: 'yes',
  banned_at: past,
  expires_at: past,
  valid_until: past,
  ends_on: past,
  access_until: past,
  endDate: past,
  expired: true,
  starts_at: future,
  available_from: future,
  launch_date: future,
  state: 'expired',
  access: 'none',
  days_left: 0,
  unenrolled_at: past,
  closed_at: past,
  left_at: past,
  merged_into: 77,
};

test.for(Object.entries(against))('%s %s speaks against access', ([key, value]) => {
  expect(signsAgainst({ [key]: value }, now)).toEqual([`${key} ${value}`]);
});

const harmless = {
  id: 7,
  title: 'Blocked Paths and Canceled Plans',
  status: 'active',
  enrollment_status: 'completed',
  is_active: true,
  suspended: false,
  suspended_at: null,
  deleted_at: '',
  cancelled: 'no',
  expires_at: future,
  starts_at: past,
  launch_date: null,
  state: 'Texas',
  billing_state: 'CA',
  unlocked: true,
  created_at: past,
  days_of_access: 30,
  completion_percent: 40,
  orders: [{ status: 'failed' }],
  lessons_left: 0,
  days_left: 12,
  access: 'lifetime',
  account: { status: 'active' },
  subscription_status: 'none',
};

test.for(Object.entries(harmless))('%s %s says nothing', ([key, value]) => {
  expect(signsAgainst({ [key]: value }, now)).toEqual([]);
});

test('an object about access is read too', () => {
  expect(signsAgainst({ access: { state: 'expired' }, account: { closed: true, status: 'closed' } }, now)).toEqual([
    'access.state expired',
    'account.closed true',
    'account.status closed',
  ]);
});
