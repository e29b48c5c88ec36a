import * as z from 'zod';
import type { DemoContext } from './connection.ts';
import type { Sales } from './sales.ts';

const plan = z.object({ plan: z.array(z.string()) });
const done = z.object({ totals: z.record(z.string(), z.int()), rows: z.record(z.string(), z.string()) });
const rawOrders = z.object({
  orders: z.array(
    z.object({ user_email: z.string(), status: z.string(), courses: z.array(z.object({ id: z.int() })) }),
  ),
});

/** Rows of the list with people who hold the course already. */
const known = 26;

/** Gives a course to a class of 30 rows, as a spreadsheet has it, and checks the class against the raw orders. */
export async function showRoster({ screen, ask, fetchRaw }: DemoContext, { best }: Sales): Promise<void> {
  const holders = async () => {
    const { orders } = await fetchRaw(rawOrders, 'orders?status=all');
    const own = orders.filter(
      ({ status, courses }) => /paid|wallet/.test(status) && courses.some(({ id }) => id === best.id),
    );
    return [...new Set(own.map(({ user_email }) => user_email.toLowerCase()))];
  };
  const before = await holders();
  const old = before.slice(0, known).map((email) => `${email};`);
  const fresh = ['Ada', 'Ben', 'Cleo'].map((name) => `${name.toLowerCase()}.example@example.com;${name} Example`);
  const csv = ['E-Mail;Name', ...old, ...fresh, 'dora.example@;Dora Example'].join('\r\n');
  screen.question(`This is the class of “${best.title}” now: ${old.length + fresh.length + 1} rows. Is everybody in?`);
  const asked = { product: `course ${best.id}`, csv };
  const planned = await ask(plan, 'sync_roster', asked);
  screen.answer(planned.data.plan.slice(1));
  screen.question('Yes, add them.');
  const { data, first } = await ask(done, 'sync_roster', { ...asked, confirm: true });
  screen.answer([first, ...Object.entries(data.rows).map(([state, rows]) => `${state}: rows ${rows}`)]);
  const after = new Set(await holders());
  const isRight = after.size === before.length + fresh.length && before.every((email) => after.has(email));
  if (!isRight || data.totals.applied !== fresh.length) throw new Error('the class is not as its list');
  screen.check(
    `The raw orders show the course with these ${fresh.length} more people, and with everybody from before.`,
  );
}
