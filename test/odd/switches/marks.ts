import type { Json, Order } from '../academy/state.ts';
import { everySale, type Switch } from './switch.ts';

// Orders with the status "paid" that a field outside the document shows as undone, and amounts that mean something else.

const isUndone = ({ number, amount }: Order) => number % 9 === 0 && Number(amount) > 0;

/** Every ninth order is undone, and shows these fields; the others show them empty. */
function marks(name: string, says: string, shown: Json, empty: Json): Switch {
  return {
    name: `marks-${name}`,
    class: 'marks',
    kind: 'open',
    says: `every ninth order is undone: ${says}`,
    probes: everySale,
    rules: {
      seed: ({ orders }) => {
        for (const order of orders) order.undone = isUndone(order);
      },
      order: (given, order) => ({ ...given, ...(order.undone === true ? shown : empty) }),
    },
  };
}

const at = '2026-10-30T10:00:00Z';

function amounts(name: string, says: string, write: (order: Order) => unknown): Switch {
  const order = (shown: Json, one: Order) => ({ ...shown, amount: write(one) });
  return { name: `amounts-${name}`, class: 'marks', kind: 'departs', says, probes: everySale, rules: { order } };
}

const cents = ({ amount }: Order) => String(Math.round(Number(amount) * 100));

export const markSwitches: readonly Switch[] = [
  marks('refunded-at', 'refunded_at is set', { refunded_at: at }, { refunded_at: null }),
  marks('refunded-flag', 'refunded: true', { refunded: true }, { refunded: false }),
  marks('refunded-amount', 'refunded_amount of the whole', { refunded_amount: '49.90' }, { refunded_amount: '0.00' }),
  marks('refunds-list', 'a list of refunds', { refunds: [{ id: 1, amount: '49.90' }] }, { refunds: [] }),
  marks('payment-refund', 'payment.refund_id', { payment: { refund_id: 'r1' } }, { payment: { refund_id: null } }),
  marks('refund-status', 'refund_status: "full"', { refund_status: 'full' }, { refund_status: 'none' }),
  marks('chargeback', 'chargeback: true', { chargeback: true }, { chargeback: false }),
  marks('charged-back-at', 'chargeback_at', { chargeback_at: at }, { chargeback_at: '' }),
  marks('dispute', 'a dispute', { dispute: { id: 4, state: 'lost' } }, { dispute: null }),
  marks('dispute-status', 'dispute_status: "under_review"', { dispute_status: 'under_review' }, {}),
  marks('cancelled-at', 'cancelled_at', { cancelled_at: at }, { cancelled_at: null }),
  marks('canceled', 'canceled: 1', { canceled: 1 }, { canceled: 0 }),
  marks('voided', 'voided: "yes"', { voided: 'yes' }, { voided: 'no' }),
  marks('is-void', 'isVoid: true', { isVoid: true }, { isVoid: false }),
  marks('deleted-at', 'deleted_at', { deleted_at: at }, { deleted_at: null }),
  marks('revoked', 'revoked_by an admin', { revoked_by: 'Ann' }, { revoked_by: null }),
  marks('test', 'test: true', { test: true }, { test: false }),
  marks('is-test', 'is_test: "true"', { is_test: 'true' }, { is_test: 'false' }),
  amounts('cents', '"4990", in cents', cents),
  amounts('three-places', '"4.990", with a point between thousands', ({ amount }) =>
    Number(amount) === 0 ? '0' : `${Math.floor(Number(amount) / 10)}.990`,
  ),
  amounts('five-places', '"4.99000", of another unit', ({ amount }) => (Number(amount) / 10).toFixed(5)),
];
