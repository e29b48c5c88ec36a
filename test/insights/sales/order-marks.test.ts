import { expect, test } from 'vitest';
import { fitsCurrency } from '../../../src/insights/money.ts';
import { orderMarks } from '../../../src/insights/sales/sold-order.ts';

test('an undocumented field whose key speaks of a refund or the like marks the order', () => {
  expect(orderMarks({ id: 'a', refunded_at: '2026-11-01T00:00:00Z' })).toEqual(['refunded_at']);
  expect(orderMarks({ isTest: true, chargebackId: 7 })).toEqual(['isTest', 'chargebackId']);
  expect(orderMarks({ payment: { dispute: { id: 4 } } })).toEqual(['payment.dispute']);
  expect(orderMarks({ dispute_status: 'under_review', voided: 1, deleted_at: 'x', revoked: 'true' })).toHaveLength(4);
});

test('an undocumented status, kind or mode whose word speaks of a refund or a test marks the order', () => {
  expect(orderMarks({ payment_status: 'partially_refunded', type: 'refund' })).toHaveLength(2);
  expect(orderMarks({ payment: { state: 'chargedBack' }, environment: 'test', livemode: false })).toHaveLength(3);
  expect(orderMarks({ charged_back: true, reversed_at: '2026-11-01', fraudulent: 1 })).toHaveLength(3);
});

test('an empty mark, a rule and a documented field mark nothing', () => {
  const empty = { refunded_at: null, refunded: false, refunds: [], refunded_amount: '0.00', dispute: { id: null } };
  expect(orderMarks({ ...empty, cancelled: 'no', refund_status: 'not_refunded', void: 0 })).toEqual([]);
  expect(orderMarks({ refundable: true, can_refund: true, refund_until: '2027-01-01', latest_login: 'x' })).toEqual([]);
  expect(orderMarks({ ticket_type: 'refundable', livemode: true, live: null, note: 'test', kind: 'sale' })).toEqual([]);
  expect(orderMarks({ description: 'A refund', status: 'paid' })).toEqual([]);
});

test('an amount has the decimal places of its currency', () => {
  expect(fitsCurrency('49.00', 'usd')).toBe(true);
  expect(fitsCurrency('4900', 'JPY')).toBe(true);
  expect(fitsCurrency('19.990', 'CLP')).toBe(false);
  expect(fitsCurrency('4900', 'USD')).toBe(false);
  expect(fitsCurrency('0', 'USD')).toBe(true);
  expect(fitsCurrency('4900', undefined)).toBe(true);
  expect(fitsCurrency('4900', 'nothing')).toBe(true);
});
