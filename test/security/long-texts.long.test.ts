import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { type Ask, adversarialTexts, bytesOf, complaint, refusalBytes } from '../support/adversarial.ts';
import { startAcademy } from '../support/connect.ts';
import { sampleCalls } from '../support/samples.ts';

type Json = Record<string, unknown>;
type Path = readonly (string | number)[];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The place of each value that is neither object nor list, by the listed schema of a tool's arguments. */
function leavesOf(schema: unknown, path: Path = []): Path[] {
  if (!isObject(schema)) return [path];
  if (isObject(schema.properties)) {
    return Object.entries(schema.properties).flatMap(([name, field]) => leavesOf(field, [...path, name]));
  }
  if (isObject(schema.items)) return leavesOf(schema.items, [...path, 0]);
  return path.length === 0 ? [] : [path];
}

function placed(holder: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') return [placed(Array.isArray(holder) ? holder[0] : undefined, rest, value)];
  const fields = isObject(holder) ? holder : {};
  return { ...fields, [step]: placed(fields[step], rest, value) };
}

/** The arguments, with another value in one place. */
function withLeaf(given: Json, path: Path, value: unknown): Json {
  return placed(given, path, value) as Json;
}

async function complaints(asks: Iterable<[where: string, ask: Ask]>): Promise<string[]> {
  const found: string[] = [];
  for (const [where, ask] of asks) {
    for (const [kind, made] of Object.entries(adversarialTexts)) {
      const wrong = await complaint(ask, made);
      if (wrong !== undefined) found.push(`${where}, ${kind}: ${wrong}`);
    }
  }
  return found;
}

test('every argument of every tool handles 100 KB of any text as fast as a short text', async () => {
  const { client, sandbox } = await startAcademy();
  const samples = sampleCalls(sandbox);
  const { tools } = await client.listTools();
  const asks = tools.flatMap(({ name, inputSchema }) =>
    leavesOf(inputSchema).map((path): [string, Ask] => [
      `${name} ${path.join('.')}`,
      (text) => bytesOf(call(client, name, withLeaf(samples[name] ?? {}, path, text))),
    ]),
  );
  expect(asks.length).toBeGreaterThan(150);
  expect(await complaints(asks)).toEqual([]);
});

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<number> {
  return refusalBytes((await client.callTool({ name, arguments: args })) as CallToolResult);
}

const course = { course: 'Drawing' };

test('every argument of every prompt handles 100 KB as fast as a short text', async () => {
  const { client } = await startAcademy();
  const { prompts } = await client.listPrompts();
  const asks = prompts.flatMap(({ name, arguments: fields = [] }) =>
    [...fields.map((field) => field.name), 'unknown'].map((field): [string, Ask] => [
      `${name} ${field}`,
      (text) => bytesOf(client.getPrompt({ name, arguments: { ...course, [field]: text } }).then(() => undefined)),
    ]),
  );
  expect(asks.length).toBeGreaterThan(8);
  expect(await complaints(asks)).toEqual([]);
});

test('several arguments of 100 KB are handled as fast as short ones', async () => {
  const { client } = await startAcademy();
  const email = 'ann@example.com';
  const together: [tool: string, args: (text: string) => Json][] = [
    ['sync_roster', (text) => ({ students: [{ email: text, name: text }], product: 'course 1' })],
    ['find_buyers', (text) => ({ product: text, period: text, cursor: text, timezone: text })],
    ['list_orders', (text) => ({ created_after: text, created_before: text, user_email: text })],
    ['update_product', (text) => ({ product_type: 'course', id_or_slug: text, launch_date: text, price: text })],
    ['revoke_course', (text) => ({ email, course_id: text, name: text, confirm: text })],
  ];
  expect(
    await complaints([
      ...together.map(([tool, args]): [string, Ask] => [tool, (text) => call(client, tool, args(text))]),
      [
        'an unknown argument of a prompt',
        (text) =>
          bytesOf(
            client.getPrompt({ name: 'who_bought', arguments: { [text]: text, product: text } }).then(() => undefined),
          ),
      ],
    ]),
  ).toEqual([]);
});

test('completions, addresses and names handle 100 KB as fast as a short text', async () => {
  const { client } = await startAcademy();
  const { resourceTemplates } = await client.listResourceTemplates();
  const prompt = { type: 'ref/prompt' as const, name: 'who_bought' };
  const completing = (params: Parameters<Client['complete']>[0]) =>
    bytesOf(client.complete(params).then(() => undefined));
  const reading = (uri: string) => bytesOf(client.readResource({ uri }).then(() => undefined));
  const asks: [string, Ask][] = [
    ['a value', (value) => completing({ ref: prompt, argument: { name: 'product', value } })],
    ['a name', (name) => completing({ ref: prompt, argument: { name, value: 'a' } })],
    ['a prompt', (name) => completing({ ref: { ...prompt, name }, argument: { name: 'product', value: 'a' } })],
    ['a template', (uri) => completing({ ref: { type: 'ref/resource', uri }, argument: { name: 'x', value: 'a' } })],
    [
      'a context',
      (text) =>
        completing({
          ref: { type: 'ref/resource', uri: 'academy://products/{product_type}/{id_or_slug}' },
          argument: { name: 'id_or_slug', value: 'a' },
          context: { arguments: { product_type: text } },
        }),
    ],
    ...resourceTemplates.map(({ uriTemplate }): [string, Ask] => [
      uriTemplate,
      (text) =>
        reading(uriTemplate.replaceAll(/\{\w+\}/g, () => encodeURIComponent(text.replaceAll('\uD800', '\uFFFD')))),
    ]),
    ['an address', reading],
    ['an address of ours', (text) => reading(`academy://channels/${text}`)],
    ['a tool', (name) => bytesOf(call(client, name, {}))],
    ['a prompt', (name) => bytesOf(client.getPrompt({ name }).then(() => undefined))],
    ['an unknown argument', (name) => bytesOf(call(client, 'list_orders', { [name]: 1 }))],
  ];
  expect(await complaints(asks)).toEqual([]);
});
