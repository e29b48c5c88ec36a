import { expect, test } from 'vitest';
import { toolsets } from '../../src/mcp/principal.ts';
import { eventTools, tools } from '../../tools/index.ts';
import { instructionsFor } from '../../tools/instructions.ts';
import { byteLength, tokens } from '../bench/figures.ts';
import { startAcademy } from '../support/connect.ts';

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

test('no client cuts a description', async () => {
  for (const { name, description } of await listTools()) expect(byteLength(description), name).toBeLessThan(maxBytes);
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
