import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { isTitled } from '../../src/contract/lookups.ts';
import { documentedInput } from '../../src/mcp/input/json-schema.ts';
import { toolsets } from '../../src/mcp/principal.ts';
import { costFigures } from '../../src/mcp/request-cost.ts';
import { dataTools, eventTools, journalTools, tools } from '../../tools/index.ts';
import type { Row } from '../support/academy.ts';
import { connect, startAcademy } from '../support/connect.ts';
import { composites, compositeWrites, operationTools } from '../support/every-call.ts';
import { propertiesOf } from '../support/whole-rows.ts';

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
const kebabCase = (name: string) => name.replaceAll('_', '-');
const names = tools.map(({ name }) => name);
/** With those that only some servers list. */
const allTools = [...tools, ...eventTools, ...journalTools, ...dataTools];

const byPlace = (one: string, other: string) => names.indexOf(one) - names.indexOf(other);

async function listTools() {
  const { client } = await startAcademy();
  return (await client.listTools()).tools;
}

test('each operation of the API has one tool, and every other tool is a composite', () => {
  const ofOperations = operations.map(({ id }) => id.split('.')[1]);
  expect(operationTools.map(({ name }) => camelCase(name)).sort()).toEqual(ofOperations.sort());
  expect(new Set(names).size).toBe(tools.length);
  expect(operationTools.length + composites.length).toBe(tools.length);
});

test('each tool is exported under its own name by a file of its own name', async () => {
  const folder = new URL('../../tools/', import.meta.url);
  for (const { name, toolset } of allTools) {
    const file = new URL(`${toolset}/${kebabCase(name)}.ts`, folder);
    const module: Row = await import(file.href);
    expect(Object.keys(module), file.pathname).toEqual([camelCase(name)]);
    expect(module[camelCase(name)]).toBe(allTools.find((tool) => tool.name === name));
  }
});

test('no file of a toolset defines a tool that is not listed', async () => {
  for (const toolset of toolsets) {
    const folder = new URL(`../../tools/${toolset}/`, import.meta.url);
    for (const file of await readdir(folder)) {
      const module: Row = await import(new URL(file, folder).href);
      const defined = Object.values(module).filter((value) => typeof value === 'object' && value && 'toolset' in value);
      for (const tool of defined) expect(allTools, file).toContain(tool);
    }
  }
});

test('each tool is called by a test of its own section or task', async () => {
  const sources = await readdir(new URL('.', import.meta.url), { recursive: true });
  const texts = await Promise.all(
    sources.filter((file) => file.endsWith('.test.ts')).map((file) => readFile(new URL(file, import.meta.url), 'utf8')),
  );
  const isCalled = (name: string) => texts.some((text) => new RegExp(`(call\\(|\\[)\\s*'${name}'`).test(text));
  expect(names.filter((name) => !isCalled(name))).toEqual([]);
});

test('each id that a write takes has a title for the person who confirms it', () => {
  const writes = operations.filter(({ effect }) => effect !== 'read');
  const ids = writes.flatMap(({ params, query, body }) => Object.keys({ ...params, ...query, ...body }));
  expect(ids.filter((name) => /(^|_)id(_|$)/.test(name) && !isTitled(name))).toEqual([]);
});

test('tools are listed by toolset, reading before writing', () => {
  const places = tools.map(({ toolset, effect }) => toolsets.indexOf(toolset) * 2 + (effect === 'read' ? 0 : 1));
  expect(places).toEqual([...places].sort((one, other) => one - other));
});

test('names are short, titles and descriptions say enough and hold no trick', async () => {
  for (const { name, title, description = '' } of await listTools()) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(name.length).toBeLessThanOrEqual(40);
    expect(title, name).toMatch(/^[A-Z][A-Za-z ]{3,50}$/);
    expect(description.length, name).toBeGreaterThanOrEqual(80);
    expect(description.length, name).toBeLessThanOrEqual(700);
    expect(description, name).toMatch(/^[\x20-\x7e]+$/);
    expect(description, name).not.toMatch(/https?:|www\.|ignore|must always|important/i);
    const { effect, cost } = tools.find((tool) => tool.name === name) ?? {};
    // The instructions state it for all of these.
    const isUsual = effect === 'read' && cost !== undefined && costFigures(cost) === '1';
    expect(/\d\+? requests?\b/.test(description), name).toBe(!isUsual);
  }
});

test('a description names only tools and arguments that there are', async () => {
  const listed = await listTools();
  const words = new Set(listed.flatMap(({ inputSchema }) => Object.keys(propertiesOf(inputSchema))));
  // Fields of records that no schema describes.
  const undescribed = ['shared_orders', 'truncated_attributes'];
  const answers = JSON.stringify(listed.map(({ outputSchema, inputSchema }) => [outputSchema, inputSchema]));
  for (const { name, description = '' } of listed) {
    for (const word of description.match(/\b[a-z]+(_[a-z]+)+\b/g) ?? []) {
      const isNamed = [...names, ...words, ...undescribed].includes(word);
      const isKnown = isNamed || answers.includes(`"${word}"`);
      expect(isKnown, `${name} speaks of ${word}`).toBe(true);
    }
  }
});

test('every tool but the one of the account says which other one to use', async () => {
  for (const { name, description = '' } of await listTools()) {
    const others = names.filter((other) => other !== name && new RegExp(`\\b${other}\\b`).test(description));
    expect(others.length > 0 || name === 'get_account', name).toBe(true);
  }
});

test('every argument is described in the documents, and every answer has a schema', async () => {
  for (const { name, outputSchema } of await listTools()) expect(outputSchema, name).toBeDefined();
  for (const { name, input } of tools) {
    const { properties } = documentedInput(input);
    for (const [argument, { description }] of Object.entries(propertiesOf({ properties }))) {
      expect(description, `${name}.${argument}`).toMatch(/^[\x20-\x7e]{8,}$/);
    }
  }
});

const reading = [true, false, true, false];
const creating = [false, false, false, false];
const giving = [false, false, true, false];
const changing = [false, true, true, false];
const removing = [false, true, true, false];
const resetting = [false, true, false, false];

/** readOnly, destructive, idempotent, openWorld, by the first word of a tool's name: written by hand, not taken from the contract. */
const hintsByVerb: Record<string, boolean[]> = {
  get: reading,
  list: reading,
  search: reading,
  create: creating,
  update: changing,
  enroll: creating,
  unenroll: removing,
  revoke: removing,
  grant: giving,
  reset: resetting,

  plan: reading,
  apply: changing,
  find: reading,
  sales: reading,
  unpaid: reading,
  student: reading,
  diagnose: reading,
  course: reading,
  community: reading,
  sync: removing,
  offboard: removing,
};
const hintsOf = (name: string) => hintsByVerb[name.split('_')[0] ?? ''];

test('each tool has the four hints that its effect asks for', async () => {
  const listed = (await listTools()).map(({ name, annotations = {} }) => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
    return [name, [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]];
  });
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(names.map((name) => [name, hintsOf(name)])));
});

test('exactly the tools that take something away, and those that do many things at once, ask for confirm', async () => {
  const asking = (await listTools()).filter(({ inputSchema }) => 'confirm' in propertiesOf(inputSchema));
  const expected = names.filter((name) => [removing, resetting].includes(hintsOf(name) ?? []));
  const distinct = [...new Set([...expected, ...compositeWrites])];
  expect(asking.map(({ name }) => name)).toEqual(distinct.sort(byPlace));
});

test.for([...toolsets])('of the toolset %s alone no other tool is listed or known', async (toolset) => {
  const { client } = await startAcademy({}, { ACADEMY_TOOLSETS: toolset });
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect(listed).toEqual(tools.filter((tool) => tool.toolset === toolset).map(({ name }) => name));
  const others = names.filter((name) => !listed.includes(name));
  for (const name of others) await expect(client.callTool({ name }), name).rejects.toThrow('Unknown tool');
});

/** The tools whose `_meta` has a key, by the value of the key. */
async function marked(key: string, settings: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { client } = await connect({ ACADEMY_BASE_URL: 'http://127.0.0.1:9', ...settings });
  const listed = (await client.listTools()).tools.filter(({ _meta = {} }) => key in _meta);
  return Object.fromEntries(listed.map(({ name, _meta }) => [name, _meta?.[key]]));
}

const interaction = 'anthropic/requiresUserInteraction';

/** Written by hand: a person must agree to each call of these. */
const dangerous = [
  'apply_course_outline',
  'offboard_student',
  'reset_bundle_progress',
  'reset_course_progress',
  'revoke_bundle',
  'revoke_course',
  'revoke_role',
  'sync_roster',
  'unenroll_student',
];

test('the five tools that are asked most are always loaded', async () => {
  const most = ['find_buyers', 'sales_report', 'student_profile', 'diagnose_access', 'course_progress'];
  // Clients compare the value with true.
  expect(await marked('anthropic/alwaysLoad')).toEqual(Object.fromEntries(most.map((name) => [name, true])));
});

test('clients are told to ask a person before every call that needs consent', async () => {
  const asked = Object.fromEntries(dangerous.map((name) => [name, true]));
  expect(await marked(interaction)).toEqual(asked);
  for (const confirm of ['preview', 'human', 'block']) {
    expect(await marked(interaction, { ACADEMY_CONFIRM: confirm }), confirm).toEqual(asked);
  }
  // Lockdown may require consent of other writes later in a conversation: the list never varies within one.
  expect(await marked(interaction, { ACADEMY_LOCKDOWN: 'true' })).toEqual(asked);
});

test('ACADEMY_REQUIRE_INTERACTION decides, and auto is off for programs that confirm by themselves', async () => {
  const argument = { ACADEMY_CONFIRM: 'argument' };
  expect(await marked(interaction, argument)).toEqual({});
  expect(await marked(interaction, { ...argument, ACADEMY_REQUIRE_INTERACTION: 'auto' })).toEqual({});
  expect(Object.keys(await marked(interaction, { ...argument, ACADEMY_REQUIRE_INTERACTION: 'on' })).sort()).toEqual(
    dangerous,
  );
  expect(await marked(interaction, { ACADEMY_REQUIRE_INTERACTION: 'off' })).toEqual({});
});

test('reading tools with lists of records raise the limit of a result above our longest answer', async () => {
  const sizes = await marked('anthropic/maxResultSizeChars');
  for (const [name, size] of Object.entries(sizes)) {
    expect(size, name).toBe(50_000);
    expect(tools.find((tool) => tool.name === name)?.effect, name).toBe('read');
  }
  for (const name of ['list_orders', 'list_students', 'find_buyers', 'get_course_structure', 'search_posts']) {
    expect(sizes).toHaveProperty(name);
  }
  expect(sizes).not.toHaveProperty('get_account');
});
