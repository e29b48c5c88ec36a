import { expect, test } from 'vitest';
import { tools } from '../../tools/index.ts';
import { type Row, row } from '../support/academy.ts';
import { composites, operationTools } from '../support/composite.ts';
import { startAcademy } from '../support/connect.ts';
import { expectedRequests, type Units } from '../support/expected-requests.ts';
import { propertiesOf } from '../support/properties.ts';
import { expectRefusal, requestsOf } from '../support/refusal.ts';
import { sampleCalls } from '../support/samples.ts';

/** How often each part of the cost applies to the sample, whose student's orders are under two spellings of the email. */
const units: Readonly<Record<string, Units>> = {
  enroll_student: [1, 2, 1],
  create_channel: [1, 1],
  update_channel: [1, 1],
  update_lesson: [1, 1],
  revoke_course: [1, 1],
  revoke_bundle: [1, 1],
  // Its orders list no course of the bundle any more: the call before has taken them off.
  reset_bundle_progress: [1, 0, 1],
};
const reading = new Set(tools.filter(({ effect }) => effect === 'read').map(({ name }) => name));

test('an unknown argument is refused, the valid ones are listed, and nothing is sent', async () => {
  const { client, sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    const answer = await call(name, { ...samples[name], colour: 'teal' });
    const text = expectRefusal(answer, 'invalid_input');
    expect(text, name).toContain('unknown argument "colour"');
    const valid = Object.keys(propertiesOf(inputSchema)).join(', ') || 'none';
    expect(text, name).toContain(`valid: ${valid}.`);
    expect(requestsOf(answer), name).toBe(0);
  }
});

/** The integer arguments of a tool; a nullable one is a choice of two schemas. */
function integersOf(inputSchema: Row): [name: string, schema: Row][] {
  return Object.entries(propertiesOf(inputSchema)).filter(([, schema]) => {
    const choices = Array.isArray(schema.anyOf) ? schema.anyOf.map((choice) => row(choice).type) : [schema.type];
    return choices.includes('integer');
  });
}

test('every integer may be written as text', async () => {
  const { client, sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  let tried = 0;
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    for (const [argument, { maximum = 42 }] of integersOf(inputSchema)) {
      const { confirm: _confirm, ...sample } = samples[name] ?? {};
      // The position of a lesson needs that many lessons, and excludes the number of the sample.
      const own = argument === 'position' && name === 'create_lesson' ? { sequence: undefined, position: '1' } : {};
      const value = Number(maximum) < 42 ? '24' : '42';
      const { text } = await call(name, { ...sample, [argument]: value, ...own });
      expect(text, `${name}.${argument}`).not.toMatch(/^invalid_input/);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(40);
});

test('a value of a wrong type is refused by the name of its argument, and nothing is sent', async () => {
  const { client, sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    for (const argument of Object.keys(propertiesOf(inputSchema))) {
      for (const wrong of [{ a: 1 }, [['x']]]) {
        const answer = await call(name, { ...samples[name], [argument]: wrong });
        expect(expectRefusal(answer, 'invalid_input'), name).toMatch(
          new RegExp(`^invalid_input: ${argument}(\\.\\w+)* (must|is required)`),
        );
        expect(requestsOf(answer), name).toBe(0);
      }
    }
  }
});

test('a missing required argument is named', async () => {
  const { client, sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    for (const argument of inputSchema.required ?? []) {
      const { [argument]: _left, ...others } = samples[name] ?? {};
      expect(expectRefusal(await call(name, others), 'invalid_input'), name).toContain(`${argument} is required`);
    }
  }
});

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Every value at the end of a path, with its path. */
function leavesOf(value: unknown, path = ''): [path: string, leaf: unknown][] {
  if (typeof value !== 'object' || value === null || isEmpty(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, entry]) => leavesOf(entry, `${path}.${key}`));
}

/** A time as a text may show it: in the time zone of the answer, to the second, the minute or, at midnight, the day. */
function localForms(leaf: unknown, timezone: unknown): string[] {
  if (typeof leaf !== 'string' || !/^\d{4}-\d\d-\d\dT.*Z$/.test(leaf)) return [];
  const zone = { timeZone: String(timezone ?? 'UTC'), dateStyle: 'short', timeStyle: 'medium' } as const;
  const second = new Intl.DateTimeFormat('sv-SE', zone).format(new Date(leaf));
  return [second, second.slice(0, -3), ...(second.endsWith(' 00:00:00') ? [second.slice(0, 10)] : [])];
}

/** The text shows each sequence number instead of how to count; "Complete" says it of a whole answer. */
const saidOtherwise =
  /^(get_course_structure \.defaults\.sequence|(find_buyers|unpaid_orders) \.(coverage\.complete|period\.running))$/;

/** The text explains the sums beside them. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  'find_buyers .note': ['order_total (whole orders)', 'alone_total (this product alone)'],
};

test('each tool answers, its two forms hold the same facts, and nothing in them is empty', async () => {
  const { sandbox, call } = await startAcademy();
  for (const [name, args] of Object.entries(sampleCalls(sandbox))) {
    const { isError, text, structured } = await call(name, args);
    expect(isError, `${name}: ${text}`).toBe(false);
    for (const [path, leaf] of leavesOf(structured)) {
      expect(isEmpty(leaf), `${name} ${path}`).toBe(false);
      if (saidOtherwise.test(`${name} ${path}`)) continue;
      const words = otherWords[`${name} ${path}`];
      if (words !== undefined) {
        for (const word of words) expect(text).toContain(word);
        continue;
      }
      const timezone = Object(structured?.period).timezone;
      const said = [String(leaf), JSON.stringify(leaf), ...localForms(leaf, timezone)];
      expect(
        said.some((form) => text.includes(form)),
        `the text of ${name} holds ${path} (${said[0]})`,
      ).toBe(true);
    }
  }
});

test('the tool of an operation sends as many requests as its cost says', async () => {
  const { sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  for (const { name, cost } of operationTools) {
    const [least, most] = expectedRequests(cost, units[name]);
    expect(least, name).toBe(most);
    expect(requestsOf(await call(name, samples[name])), name).toBe(least);
  }
});

test('the tool of an operation that reads asks the API once', () => {
  for (const { name, cost } of operationTools.filter(({ effect }) => effect === 'read')) {
    expect(expectedRequests(cost), name).toEqual([1, 1]);
    // It also looks under the type that reports print: test/tools/products.test.ts counts that request.
    if (name !== 'get_product') expect(cost.plus, name).toBeUndefined();
  }
});

test('every write says that it was applied', async () => {
  const { sandbox, call } = await startAcademy();
  for (const [name, args] of Object.entries(sampleCalls(sandbox))) {
    if (reading.has(name) || composites.includes(name)) continue;
    // The sample student has no progress: what was so before proves nothing.
    const expected = name === 'reset_course_progress' ? 'already_there' : 'applied';
    expect((await call(name, args)).structured?.outcome, name).toBe(expected);
  }
});
