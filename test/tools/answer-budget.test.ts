import { expect, test } from 'vitest';
import { tokens } from '../bench/figures.ts';
import { type Row, row, rows, words } from '../support/academy.ts';
import { type Connection, startAcademy } from '../support/connect.ts';

// What an answer costs beside the barest form of the same facts, in tokens of o200k_base. Raise a number only for a reason.

const budget = { text: 1.15, structured: 1.6, ofApi: 0.6 };

const people = 56;
const now = new Date('2026-06-30T12:00:00Z');
const options = { seed: 2, now };
const question = { product: '5', product_type: 'course', limit: 500, created_before: '2026-06-30T12:00:00Z' };

/** The time from which on this number of people bought the course. */
async function startOf(call: Connection['call']): Promise<string> {
  const { structured } = await call('find_buyers', { ...question, detail: 'full' });
  const { last_order_at } = row(rows(structured?.buyers)[people - 1]);
  return words(last_order_at).replace(/\.\d+Z$/, 'Z');
}

/** An amount in another currency than that of most says so. */
const amountOf = ({ amount }: Row) =>
  typeof amount === 'string'
    ? amount
    : Object.entries(row(amount))
        .map(([currency, sum]) => `${sum} ${currency}`)
        .join(' ');

test('56 buyers of a course cost little more than a bare table', async () => {
  const { call } = await startAcademy({ students: 500, orders: 2_000, ...options });
  const { text, structured = {} } = await call('find_buyers', { ...question, created_after: await startOf(call) });
  const lines = rows(structured.buyers).map((buyer) => [buyer.name, buyer.email, buyer.date, amountOf(buyer)]);
  expect(lines).toHaveLength(people);
  expect(row(structured.coverage).complete).toBe(true);

  const columns = ['name', 'email', 'date', 'amount'];
  const markdown = [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const csv = [columns, ...lines].map((cells) => cells.join(',')).join('\n');
  expect(tokens(text) / tokens(markdown)).toBeLessThanOrEqual(budget.text);
  expect(tokens(JSON.stringify(structured)) / tokens(csv)).toBeLessThanOrEqual(budget.structured);
});

const reads: [tool: string, args: Row, path: string][] = [
  ['list_students', {}, '/api/v1/students?page=1'],
  ['get_course_structure', { course_id: 1 }, '/api/v1/courses/1/lessons'],
  ['get_course_structure', { course_id: 5 }, '/api/v1/courses/5/lessons'],
  ['get_course_structure', { course_id: 7 }, '/api/v1/courses/7/lessons'],
];

test.for(reads)('%s %j costs at most 0.6 of what the API sends', async ([tool, args, path]) => {
  const { call, sandbox } = await startAcademy({ students: 120, ...options });
  const { structured } = await call(tool, args);
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const sent = await (await fetch(`${sandbox.url}${path}`, { headers })).text();
  expect(tokens(JSON.stringify(structured)) / tokens(sent)).toBeLessThanOrEqual(budget.ofApi);
});
