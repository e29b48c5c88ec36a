import { expect, test } from 'vitest';
import { toolsets } from '../../src/mcp/principal.ts';
import { eventTools, tools } from '../../tools/index.ts';
import { instructionsFor } from '../../tools/instructions.ts';
import { byteLength, tokens } from '../bench/figures.ts';
import { type Row, row, rows, words } from '../support/academy.ts';
import { type Connection, startAcademy } from '../support/connect.ts';

// Every conversation pays for tools/list before its first question. The sums grow with the number of tools, so that a new
// tool breaks no budget by its existence. Raise a number only for a reason.

/** Tokens of o200k_base. `visible`: name, description and input schema, which most clients give to the model. */
const budget = { average: { visible: 150, whole: 291 }, most: { visible: 490, whole: 720 } };

/** Some clients cut the instructions and each description at this length. */
const maxBytes = 2_048;

async function listTools() {
  const { client } = await startAcademy();
  const { tools: listed } = await client.listTools();
  // Clients keep `_meta` for themselves.
  return listed.map(({ _meta, ...tool }) => {
    const { name, description = '', inputSchema } = tool;
    const visible = tokens(JSON.stringify({ name, description, inputSchema }));
    return { name, description, visible, whole: tokens(JSON.stringify(tool)) };
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

test('the list of tools stays within its budget of tokens', async () => {
  const listed = await listTools();
  expect(sum(listed.map(({ visible }) => visible))).toBeLessThanOrEqual(budget.average.visible * listed.length);
  expect(sum(listed.map(({ whole }) => whole))).toBeLessThanOrEqual(budget.average.whole * listed.length);
});

test('no single tool takes more than its share of tokens', async () => {
  for (const { name, visible, whole } of await listTools()) {
    expect(visible, name).toBeLessThanOrEqual(budget.most.visible);
    expect(whole, name).toBeLessThanOrEqual(budget.most.whole);
  }
});

test('no client cuts the instructions of several academies', () => {
  const text = instructionsFor([...tools, ...eventTools], {
    sandbox: true,
    readOnly: false,
    accounts: ['north', 'south'],
  });
  expect(byteLength(text)).toBeLessThan(maxBytes);
});

test.for([true, false])('no client cuts the instructions, in the sandbox: %s', (sandbox) => {
  const reading = tools.filter(({ effect }) => effect === 'read');
  const selections = [tools, ...toolsets.map((set) => tools.filter(({ toolset }) => toolset !== set))];
  for (const offered of selections) {
    expect(byteLength(instructionsFor(offered, { sandbox, readOnly: false }))).toBeLessThan(maxBytes);
  }
  expect(byteLength(instructionsFor(reading, { sandbox, readOnly: true }))).toBeLessThan(maxBytes);
});

// What an answer costs beside the barest form of the same facts, in tokens of o200k_base. Raise a number only for a reason.

const answerBudget = { text: 1.21, structured: 1.62, ofApi: 0.68 };

const people = 56;
const end = '2026-06-30T12:00:00Z';
const now = new Date(end);
const seeds = [2, 3, 11];
const courses = [1, 2, 3, 5, 7, 9];

/** The time from which on this number of people bought the course. */
async function startOf(call: Connection['call'], question: Row): Promise<string> {
  const { structured } = await call('find_buyers', { ...question, detail: 'full' });
  const { last_order_at } = row(rows(structured?.buyers)[people - 1]);
  return words(last_order_at).replace(/\.\d+Z$/, 'Z');
}

/** An amount in another currency than that of most says so. */
const amountOf = (amount: unknown) =>
  typeof amount === 'string'
    ? amount
    : Object.entries(row(amount))
        .map(([currency, sum]) => `${sum} ${currency}`)
        .join(' ');

/** The tokens of the text and of the data, as parts of those of a bare table. */
async function costsOf(call: Connection['call'], product: number) {
  const question = { product: String(product), product_type: 'course', limit: 500, created_before: end };
  const created_after = await startOf(call, question);
  const { text, structured = {} } = await call('find_buyers', { ...question, created_after });
  const usual = structured.defaults === undefined ? {} : row(structured.defaults);
  const buyers = rows(structured.buyers).map((buyer): Row => ({ ...usual, ...buyer }));
  const lines = buyers.map(({ name, email, date, amount }) => [name, email, date, amountOf(amount)]);
  expect(lines).toHaveLength(people);
  expect(row(structured.coverage).complete).toBe(true);

  const columns = ['name', 'email', 'date', 'amount'];
  const markdown = [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const csv = [columns, ...lines].map((cells) => cells.join(',')).join('\n');
  return {
    text: tokens(text) / tokens(markdown),
    structured: tokens(JSON.stringify(structured)) / tokens(csv),
  };
}

test.for(seeds)('56 buyers of any course cost little more than a bare table, with seed %i', async (seed) => {
  const { call } = await startAcademy({ students: 500, orders: 2_000, seed, now });
  for (const course of courses) {
    const costs = await costsOf(call, course);
    expect(costs.text, `text, course ${course}`).toBeLessThanOrEqual(answerBudget.text);
    expect(costs.structured, `structured, course ${course}`).toBeLessThanOrEqual(answerBudget.structured);
  }
});

const reads: [tool: string, args: Row, path: string][] = [
  ['list_students', {}, '/api/v1/students?page=1'],
  ...courses.map((id): [string, Row, string] => [
    'get_course_structure',
    { course_id: id },
    `/api/v1/courses/${id}/lessons`,
  ]),
];

test.for(seeds)('lists cost at most 0.68 of what the API sends, with seed %i', async (seed) => {
  const { call, sandbox } = await startAcademy({ students: 120, seed, now });
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  for (const [tool, args, path] of reads) {
    const { structured } = await call(tool, args);
    const sent = await (await fetch(`${sandbox.url}${path}`, { headers })).text();
    expect(tokens(JSON.stringify(structured)) / tokens(sent), `${tool} ${path}`).toBeLessThanOrEqual(
      answerBudget.ofApi,
    );
  }
});
