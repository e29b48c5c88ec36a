import { expect, test } from 'vitest';
import { inLines } from '../../scripts/docs/docs.ts';
import { exampleQueries } from '../../tools/data/mirror-answer.ts';
import { prompts } from '../../tools/prompts.ts';
import { rowsOf, startMirror, whenFilled } from '../mirror/start-mirror.ts';
import type { Row } from '../support/academy.ts';
import { readSource } from '../support/source.ts';
import { countByQuestion, groups, readRawAcademy } from './raw-academy.ts';

const paid = "status IN ('paid', 'wallet_executed') AND amount_e4 > 0";

/** The questions that docs/data.md names without their statements. */
const moreQuestions: typeof exampleQueries = [
  {
    question: 'who holds both course 1 and course 2',
    sql: "SELECT email, count(*) AS courses FROM holdings WHERE kind = 'course' AND product_id IN (1, 2) GROUP BY email_key HAVING courses = 2",
  },
  {
    question: 'orders and buyers of each product, best sellers first',
    sql: 'SELECT kind, product_id, title, count(*) AS orders, count(DISTINCT email_key) AS buyers FROM sales GROUP BY kind, product_id ORDER BY orders DESC',
  },
  {
    question: 'the best customers: what each has paid, by currency',
    sql: `SELECT email_key, currency, decimal_sum(amount) AS revenue, count(*) AS orders FROM orders WHERE ${paid} GROUP BY email_key, currency ORDER BY sum(amount_e4) DESC LIMIT 50`,
  },
  {
    question: 'students who hold nothing',
    sql: 'SELECT email, name FROM students WHERE email_key NOT IN (SELECT email_key FROM holdings WHERE email_key IS NOT NULL)',
  },
  {
    question: 'orders, revenue and the average order, by country and currency',
    sql: `SELECT country, currency, count(*) AS orders, decimal_sum(amount) AS revenue, round(avg(amount_e4) / 10000, 2) AS average FROM orders WHERE ${paid} GROUP BY country, currency ORDER BY orders DESC`,
  },
  {
    question: 'new students by month',
    sql: 'SELECT month, count(*) AS students FROM students GROUP BY month ORDER BY month',
  },
  {
    question: 'payments that failed or are pending, by people who have paid nothing since',
    sql: "SELECT o.id, o.email, o.status, o.amount, o.currency, o.day FROM orders o WHERE o.status IN ('pending', 'failed') AND NOT EXISTS (SELECT 1 FROM orders p WHERE p.email = o.email AND p.status IN ('paid', 'wallet_executed') AND p.created_ms > o.created_ms) ORDER BY o.created_ms DESC",
  },
  {
    question: 'people who hold products and have never paid',
    sql: "SELECT email, count(*) AS products FROM holdings GROUP BY email_key HAVING sum(how = 'bought') = 0",
  },
  {
    question: 'products that are bought in the same order, as pairs',
    sql: 'SELECT a.title AS one, b.title AS other, count(*) AS orders FROM sales a JOIN sales b USING (order_id) WHERE a.bundle_id IS NULL AND b.bundle_id IS NULL AND (a.kind, a.product_id) < (b.kind, b.product_id) GROUP BY a.kind, a.product_id, b.kind, b.product_id ORDER BY orders DESC',
  },
  {
    question: 'who has completed everything, and when they joined',
    sql: 'SELECT s.email, s.name, s.day AS joined FROM completions c JOIN students s USING (email_key) ORDER BY joined',
  },
  {
    question: 'sales by day of the week (0 is Sunday)',
    sql: `SELECT strftime('%w', day) AS weekday, count(*) AS orders FROM orders WHERE ${paid} GROUP BY weekday`,
  },
  {
    question: 'listed courses without a sale',
    sql: "SELECT product_id, title FROM products WHERE kind = 'course' AND is_listed = 1 AND product_id NOT IN (SELECT product_id FROM sales WHERE kind = 'course')",
  },
  {
    question: 'the last post of each topic of the community, the longest silent first',
    sql: 'SELECT topic_id, topic, channel, author, max(created_at) AS last_post FROM posts GROUP BY topic_id ORDER BY last_post',
  },
  {
    question: 'who writes most in the community',
    sql: 'SELECT author, count(*) AS posts, count(DISTINCT topic_id) AS topics FROM posts GROUP BY author_slug ORDER BY posts DESC LIMIT 20',
  },
  {
    question: 'days from the first to the second purchase, on average',
    sql: 'SELECT count(*) AS buyers, round(avg(second - first), 1) AS days FROM (SELECT email_key, julianday(min(created_at)) AS first, julianday((SELECT created_at FROM sales s2 WHERE s2.email_key = s1.email_key AND s2.order_id <> s1.order_id ORDER BY created_at LIMIT 1)) AS second FROM sales s1 GROUP BY email_key) WHERE second IS NOT NULL',
  },
];

const dataQuestions = [...exampleQueries, ...moreQuestions];

const cents = (amount: unknown) => Math.round(Number(amount) * 100);
const lower = (email: unknown) => String(email).toLowerCase();

/** By question, the values of a row that a count over raw pages gives too. */
const shownOf: Readonly<Record<string, (row: Row) => unknown[]>> = {
  'revenue by month and currency': ({ month, currency, revenue, orders }) => [month, currency, cents(revenue), orders],
  'who holds course 1 and not course 2': ({ email, since }) => [lower(email), Date.parse(String(since))],
  'repeat buyers by month of the first purchase': ({ cohort, buyers, again }) => [cohort, buyers, again],
  'who paid in the last 90 days and has completed nothing': ({ email, name }) => [lower(email), name],
  'lessons of each course': ({ title, lessons }) => [title, lessons],
  'who holds both course 1 and course 2': ({ email, courses }) => [lower(email), courses],
  'orders and buyers of each product, best sellers first': ({ kind, product_id, orders, buyers }) => [
    `${kind} ${product_id}`,
    orders,
    buyers,
  ],
  'the best customers: what each has paid, by currency': ({ revenue }) => [cents(revenue)],
  'students who hold nothing': ({ email, name }) => [lower(email), name],
  'orders, revenue and the average order, by country and currency': (row) => [
    row.country,
    row.currency,
    row.orders,
    cents(row.revenue),
    cents(row.average),
  ],
  'new students by month': ({ month, students }) => [month, students],
  'payments that failed or are pending, by people who have paid nothing since': (row) => [
    row.id,
    lower(row.email),
    row.status,
    cents(row.amount),
    row.currency,
    row.day,
  ],
  'people who hold products and have never paid': ({ email, products }) => [lower(email), products],
  'products that are bought in the same order, as pairs': ({ one, other, orders }) => [
    [one, other].sort().join(' + '),
    orders,
  ],
  'who has completed everything, and when they joined': ({ email, name, joined }) => [lower(email), name, joined],
  'sales by day of the week (0 is Sunday)': ({ weekday, orders }) => [weekday, orders],
  'listed courses without a sale': ({ product_id, title }) => [product_id, title],
  'the last post of each topic of the community, the longest silent first': ({ topic_id, author, last_post }) => [
    topic_id,
    author,
    Date.parse(String(last_post)),
  ],
  'who writes most in the community': ({ posts }) => [posts],
  'days from the first to the second purchase, on average': ({ buyers, days }) => [buyers, days],
};

const sorted = (found: readonly unknown[][]) => found.map((row) => JSON.stringify(row)).sort();

test('each of the twenty questions is answered as a count over raw pages', async () => {
  const academy = await startMirror({ students: 90, orders: 240 });
  await whenFilled(academy);
  const raw = await readRawAcademy(academy.sandbox);
  expect(dataQuestions).toHaveLength(20);
  const page = await readSource('docs/data.md');
  for (const { question } of moreQuestions) expect(page).toContain(`\n- ${question}\n`);
  expect(dataQuestions.map(({ question }) => question).sort()).toEqual(Object.keys(countByQuestion).sort());
  for (const { question, sql } of dataQuestions) {
    const found = (await rowsOf(academy, inLines(sql))).map((row) => shownOf[question]?.(row) ?? []);
    const counted = countByQuestion[question]?.(raw) ?? [];
    expect.soft(sorted(found), question).toEqual(sorted(counted));
    expect.soft(counted.length, question).toBeGreaterThan(0);
  }
});

/** The statements that a prompt gives to the assistant, a line each. */
function statementsOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (/^ {3}(SELECT|WITH) /.test(line) ? [line.trim()] : []));
}

test('the prompts over the mirror are listed with it, and their statements are right', async () => {
  const academy = await startMirror({ students: 90, orders: 240 });
  await whenFilled(academy);
  const listed = (await academy.client.listPrompts()).prompts.map(({ name }) => name);
  expect(listed).toEqual(prompts.map(({ name }) => name));
  const off = prompts.filter(({ needs }) => !needs.includes('query_data')).map(({ name }) => name);
  expect(prompts.length - off.length).toBe(2);
  const raw = await readRawAcademy(academy.sandbox);
  for (const [name, count] of [
    ['cohort_report', 2],
    ['who_needs_attention', 4],
  ] as const) {
    const { messages } = await academy.client.getPrompt({ name });
    const { content } = messages[0] ?? {};
    const statements = statementsOf(content?.type === 'text' ? content.text : '');
    expect(statements).toHaveLength(count);
    // One after the other: a caller has one statement running and two waiting.
    const results: Row[][] = [];
    for (const sql of statements) results.push(await rowsOf(academy, sql));
    for (const [index, rows] of results.entries()) expect.soft(rows.length, statements[index]).toBeGreaterThan(0);
    if (name !== 'cohort_report') continue;
    const [buyers = [], revenue = []] = results;
    const expected = countByQuestion['repeat buyers by month of the first purchase']?.(raw) ?? [];
    expect(sorted(buyers.map((row) => [row.cohort, row.buyers, row.bought_again]))).toEqual(sorted(expected));
    const all = countByQuestion['revenue by month and currency']?.(raw) ?? [];
    const sums = (rows: unknown[][]) =>
      [...groups(rows, ([currency]) => String(currency))].map(([currency, some]) => [
        currency,
        some.reduce((sum, [, amount]) => sum + Number(amount), 0),
      ]);
    expect(sorted(sums(revenue.map((row) => [row.currency, cents(row.revenue)])))).toEqual(
      sorted(sums(all.map(([, currency, amount]) => [currency, amount]))),
    );
  }
});
