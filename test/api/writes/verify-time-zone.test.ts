import { expect, test } from 'vitest';
import { awayFromUtc } from '../../odd/judge/run.ts';
import { answering, expectOutcome } from '../../support/writes.ts';

const times = [
  { sent: '2026-03-01T10:00:00', shown: '2026-03-01T10:00:00Z', outcome: 'applied' },
  { sent: '2026-03-01T10:00:00Z', shown: '2026-03-01T10:00:00', outcome: 'applied' },
  { sent: '2026-03-01', shown: '2026-03-01T00:00:00.000Z', outcome: 'applied' },
  // The same time only in the zone of this machine.
  { sent: '2026-03-01T10:00:00', shown: '2026-03-01T18:00:00Z', outcome: 'outcome_unknown' },
  { sent: '2026-03-01T18:00:00Z', shown: '2026-03-01T10:00:00', outcome: 'outcome_unknown' },
];

test.each(times)('on a machine in Los Angeles, reading back $shown for $sent proves $outcome', async (row) => {
  await awayFromUtc(async () => {
    expect(new Date('2026-03-01').getTimezoneOffset()).toBe(480);
    const product = { product_type: 'course', id: 7, title: 'Piano', attributes: { launch_date: row.shown } };
    const { call } = await answering({ status: 500, body: {} }, () => ({ body: { product } }));
    const change = { product_type: 'course', id_or_slug: '7', launch_date: row.sent };
    expectOutcome(await call('update_product', change), row.outcome);
  });
});
