import { homeOf } from '../../../src/sandbox/seed/pick.ts';
import { sums } from '../../support/sales.ts';
import { count, day, exactly, money, phrase } from '../facts.ts';
import type { Tasks } from '../task.ts';
import { buyers, courseId, ordersOf, person, productNamed, sold } from '../truth.ts';
import { adds, misquotes, says } from '../wrong.ts';

const between = (created_after: string, created_before: string) => ({ created_after, created_before });
const quarter = between('2026-01-01', '2026-04-01');
const firstMonths = between('2026-01-01', '2026-06-01');
const spring = between('2026-03-01', '2026-06-01');
const aprilAndMay = between('2026-04-01', '2026-06-01');
const may = between('2026-05-01', '2026-06-01');
const startOfJune = between('2026-06-01', '2026-06-21');
const untilMidJune = between('2026-01-01', '2026-06-15');
const since2025 = between('2025-01-01', '2026-06-29');
const python = 'Python from Zero';
const sql = 'Data Analysis with SQL';
const both = [python, sql];
const bookkeeping = 'Bookkeeping for Freelancers';
const writing = 'Write Clearly at Work';
const remi = 'remi.cote@example.com';
const open = ['pending', 'failed'];

export const sales: Tasks = {
  'best-bundle': {
    instruction:
      'Which of our bundles sold best in the first quarter of 2026, counted in orders that were paid, by card or by wallet? Tell me how often it sold and how much money its orders brought in.',
    requests: 40,
    says: (academy) => {
      const sales = academy.catalogue.bundles
        .all()
        .map(({ title }) => ({ title, orders: sold(academy, { ...quarter, bundle: title }) }));
      const [best] = sales.sort((a, b) => b.orders.length - a.orders.length);
      if (best === undefined) throw new Error('no bundle');
      return [phrase(best.title), count(best.orders.length), ...Object.values(sums(best.orders)).map(money)];
    },
    reads: () => ordersOf(quarter),
    oracle: async ({ call }) => {
      const report = await call('sales_report', { ...quarter, product_type: 'bundle' });
      const name = report.get('groups.0.label');
      return `${name}: sold ${report.get('groups.0.orders')} times, for ${report.get('groups.0.order_total.USD')} USD.`;
    },
    saboteurs: {
      said: {
        'ranks by money': says('Creative Year: sold 3 times, for 537.00 USD.'),
        'counts one order too many': misquotes('4 times', '5 times'),
        'has the sum of all bundles': misquotes('316.00', '1,698.00'),
        'has the right bundle alone': says('Kitchen Table Crafts.'),
      },
    },
  },
  'best-day': {
    instruction: 'On which day of May 2026 (UTC) did we take the most US dollars, and how much was it?',
    requests: 40,
    says: (academy) => {
      const days = Array.from({ length: 31 }, (_, index) => {
        const at = (date: number) => new Date(Date.UTC(2026, 4, date)).toISOString();
        const orders = sold(academy, { created_after: at(index + 1), created_before: at(index + 2) });
        return { date: at(index + 1), sum: Number(sums(orders).USD ?? 0) };
      });
      const [best] = days.sort((a, b) => b.sum - a.sum);
      return best === undefined ? [] : [day(best.date), money(best.sum.toFixed(2))];
    },
    reads: () => ordersOf(may),
    oracle: async ({ call }) => {
      const report = await call('sales_report', { ...may, group_by: 'day' });
      const days = report.rows('groups').map(({ key, revenue }) => {
        const { USD = '0' } = (revenue ?? {}) as { USD?: string };
        return { key, sum: Number(USD) };
      });
      const [best] = days.sort((a, b) => b.sum - a.sum);
      return `${best?.key}: ${best?.sum.toFixed(2)} USD.`;
    },
    saboteurs: {
      said: {
        'is a day late': misquotes('2026-05-', '2026-06-'),
        'has the best day of June': says('19 June 2026: 593.00 USD.'),
        'has the day without the sum': async ({ oracle }) => (await oracle()).split(':')[0] ?? '',
        'has the sum of the month': async ({ oracle }) => `${(await oracle()).split(':')[0]}: 4404.60 USD`,
      },
    },
  },
  'both-courses': {
    instruction:
      'Which customers bought both "Python from Zero" and "Data Analysis with SQL" between 1 January and 31 May 2026, in one order, several orders or a bundle? Free access does not count. Their email addresses only.',
    requests: 60,
    says: (academy) => {
      const [one = [], other = []] = both.map((course) => buyers(academy, sold(academy, { ...firstMonths, course })));
      const emails = one.filter((email) => other.includes(email));
      return [exactly(academy, emails)];
    },
    reads: () => [...both.map(productNamed), ...ordersOf(firstMonths)],
    oracle: async ({ call }) =>
      (await call('find_buyers', { products: both, match: 'all', ...firstMonths })).emails('buyers'),
    saboteurs: {
      said: {
        'lists who bought either': async ({ call }) =>
          (await call('find_buyers', { products: both, match: 'any', limit: 200, ...firstMonths })).text,
        'leaves out who bought a bundle': misquotes('adebayo.okonkwo@example.com', ''),
        'adds who bought the second in June': adds('adebayo.eze@example.com'),
      },
    },
  },
  country: {
    instruction:
      'How many orders from customers in Germany were paid (card or wallet, not free) in April and May 2026 together, and how much money was that in each currency?',
    requests: 40,
    says: (academy) => {
      const orders = sold(academy, aprilAndMay).filter(
        ({ student_id }) => homeOf(academy.key, student_id).country.name === 'Germany',
      );
      return [count(orders.length), ...Object.values(sums(orders)).map(money)];
    },
    reads: () => ordersOf(aprilAndMay),
    oracle: async ({ call }) => {
      const report = await call('sales_report', { ...aprilAndMay, group_by: 'country' });
      const germany = report.rows('groups').find(({ key }) => key === 'Germany');
      const sums = Object.entries(germany?.revenue ?? {}).map(([currency, sum]) => `${sum} ${currency}`);
      return `Germany: ${germany?.orders} orders, ${sums.join(' and ')}.`;
    },
    saboteurs: {
      said: {
        'leaves out orders in dollars': misquotes(' and 1005.70 USD', ''),
        'counts buyers as orders': misquotes('18 orders', '9 orders'),
        'adds the currencies up': says('Germany: 18 orders, 1,368.20 in all.'),
        'has another country': says('Germany: 13 orders, 342.40 GBP and 227.40 USD.'),
      },
    },
  },
  'course-buyers': {
    instruction:
      'Who bought the course "Python from Zero" from 1 to 20 June 2026 (UTC)? Count people who got it inside a bundle or a larger order, but nobody who got it for free. I need their email addresses, nobody else\'s.',
    requests: 40,
    says: (academy) => [exactly(academy, buyers(academy, sold(academy, { ...startOfJune, course: python })))],
    reads: () => [productNamed(python), ...ordersOf(startOfJune)],
    oracle: async ({ call }) => (await call('find_buyers', { product: python, ...startOfJune })).emails('buyers'),
    saboteurs: {
      said: {
        'adds somebody with free access': adds('Also: hannah.delgado@example.net'),
        'leaves out who bought a bundle': misquotes('jordan.sullivan@example.com', ''),
        'adds a buyer of the next day': adds('callum.fairclough@mail.example.com'),
        'gives names without emails': says(
          'Jordan Sullivan, Joaquín Ibáñez Ruiz, Ruth Hayes, Débora Magalhães, Loïc Lefèvre',
        ),
      },
    },
  },
  'cross-sell': {
    instruction:
      'I want to offer "Write Clearly at Work" to people who bought "Bookkeeping for Freelancers" from 1 March to 31 May 2026 and have never had the writing course, neither bought nor free, neither alone nor in a bundle. Whom should I write to? Only their email addresses, please.',
    requests: 60,
    says: (academy) => {
      const had = [true, false].flatMap((free) => buyers(academy, sold(academy, { course: writing, free })));
      const bought = buyers(academy, sold(academy, { ...spring, course: bookkeeping }));
      const emails = bought.filter((email) => !had.includes(email));
      return [exactly(academy, emails)];
    },
    reads: () => [productNamed(bookkeeping), productNamed(writing), ...ordersOf(between('2024-01-01', '2026-07-01'))],
    oracle: async ({ call }) =>
      (await call('find_buyers', { product: bookkeeping, without: [writing], ...spring })).emails('buyers'),
    saboteurs: {
      said: {
        'does not look outside the period': adds('jordan.whitaker@mail.example.com'),
        'lists all buyers': async ({ call }) => (await call('find_buyers', { product: bookkeeping, ...spring })).text,
        'finds nobody': says('Nobody: all of them have it.'),
      },
    },
  },
  customer: {
    instruction:
      'How often has Rémi Côté (remi.cote@example.com) bought something from us, how much did he pay in all, and when did he last pay for something? Things he got for free are not purchases.',
    requests: 40,
    says: (academy) => {
      const { id } = person(academy, remi);
      const orders = sold(academy, {}).filter(({ student_id }) => student_id === id);
      const last = new Date(Math.max(...orders.map(({ created_at }) => created_at))).toISOString();
      return [count(orders.length), ...Object.values(sums(orders)).map(money), day(last)];
    },
    reads: () => [`/api/v1/orders?status=all&user_email=${encodeURIComponent(remi)}`],
    oracle: async ({ call }) => {
      const profile = await call('student_profile', { email: remi });
      const [last] = profile.rows('bought');
      return `${profile.get('totals.bought')} purchases, ${profile.get('totals.revenue.EUR')} EUR, the last on ${last?.date}.`;
    },
    saboteurs: {
      said: {
        'counts the free order': misquotes('9 purchases', '10 purchases'),
        'takes the free order for the last': misquotes('2025-12-05', '2026-05-30'),
        'is wrong by a cent': misquotes('543.10', '543.11'),
        'leaves out the wallet': misquotes('543.10', '430.20'),
      },
    },
  },
  'free-access': {
    instruction:
      'Who got "Python from Zero" for free between 1 January and 14 June 2026, also as a part of a free bundle? Give me their email addresses and no others: paying customers are of no interest here.',
    requests: 40,
    says: (academy) => [
      exactly(academy, buyers(academy, sold(academy, { ...untilMidJune, course: python, free: true }))),
    ],
    reads: () => [productNamed(python), ...ordersOf(untilMidJune)],
    oracle: async ({ call }) =>
      (await call('find_buyers', { product: python, granted_only: true, ...untilMidJune })).emails('buyers'),
    saboteurs: {
      said: {
        'adds a paying customer': adds('loic.lefevre@example.com'),
        'leaves out the free bundle': misquotes('malgorzata.madry@example.com', ''),
        'gives names without emails': says(
          'Niamh Hargreaves, Hannah Delgado, Małgorzata Mądry, Maya Park, Íñigo Núñez',
        ),
        'adds somebody of 2025': adds('freya.begum@example.net'),
      },
    },
  },
  'month-total': {
    instruction:
      'How much money did we take in May 2026, in each currency, and how many different people paid us that month? Free access is not a sale. Give me the exact sums.',
    requests: 40,
    says: (academy) => {
      const orders = sold(academy, may);
      return [...Object.values(sums(orders)).map(money), count(buyers(academy, orders).length)];
    },
    reads: () => ordersOf(may),
    oracle: async ({ call }) => {
      const report = await call('sales_report', may);
      const sums = report.entries('totals.revenue').map(([currency, sum]) => `${sum} ${currency}`);
      return `We took ${sums.join(', ')} from ${report.get('totals.buyers')} people.`;
    },
    saboteurs: {
      said: {
        'counts people who got free access': misquotes('from 60 people', 'from 65 people'),
        'takes paid alone, without the wallet': async ({ call }) =>
          (await call('sales_report', { ...may, statuses: ['paid'] })).text,
        'is wrong by a cent': misquotes('589.40', '589.41'),
        'adds the currencies up': async () => 'We took 6085.20 from 60 people.',
      },
    },
  },
  unpaid: {
    instruction:
      'Who tried to buy "Data Analysis with SQL" between 1 January 2025 and 28 June 2026, alone or in a bundle, but never paid and does not have it today? I want their email addresses, nobody else’s, and the amount of each unpaid order.',
    requests: 60,
    says: (academy) => {
      const id = courseId(academy, sql);
      const holders = new Set(
        academy.orders
          .all()
          .filter(({ status, courses }) => !open.includes(status) && courses.includes(id))
          .map(({ student_id }) => student_id),
      );
      const unpaid = sold(academy, { ...since2025, course: sql, statuses: open }).filter(
        ({ student_id }) => !holders.has(student_id),
      );
      return [exactly(academy, buyers(academy, unpaid)), ...unpaid.map(({ amount }) => money(amount))];
    },
    reads: () => [productNamed(sql), ...ordersOf(since2025, [...open, 'paid', 'wallet_executed'])],
    oracle: async ({ call }) => {
      const found = await call('unpaid_orders', { product: sql, ...since2025 });
      const rows = found.rows('unpaid').map(({ email, amount }) => `${email}: ${amount}`);
      return rows.join('\n');
    },
    saboteurs: {
      said: {
        'adds somebody who paid later': adds('renata.penaloza@mail.example.com: 129.00'),
        'forgets pending orders': misquotes('jordan.nakamura@example.com: 129.00', ''),
        'forgets who wanted a bundle': misquotes('francois.vasseur@example.org: 399.00', ''),
        'has a wrong amount': misquotes('103.20', '130.20'),
      },
    },
  },
};
