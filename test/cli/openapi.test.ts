import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { runHere } from '../support/command-line.ts';
import { endpoints, eventNames } from '../support/document.ts';
import { start } from '../support/program.ts';
import type { WireCase } from '../wire/case.ts';
import { wireCases } from '../wire/cases.ts';

const media = z.object({ schema: z.looseObject({}) });

const operationObject = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(['path', 'query']),
      required: z.boolean(),
      description: z.string().min(1),
      schema: z.looseObject({}),
    }),
  ),
  requestBody: z.object({ required: z.literal(true), content: z.record(z.string(), media) }).optional(),
  responses: z.record(z.string(), z.unknown()),
});

const openApi = z.object({
  openapi: z.string(),
  servers: z.array(z.object({ url: z.string() })),
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationObject)),
  webhooks: z.record(z.string(), z.unknown()),
});

async function printed(environment: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runHere(['openapi'], environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return openApi.parse(JSON.parse(stdout));
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: z.infer<typeof operationObject>;
}

async function describedOperations(): Promise<Described[]> {
  const { paths } = await printed();
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The document and the list of endpoints may name a path's parameters differently. */
const nameless = (path: string) => path.replaceAll(/:\w+|\{\w+\}/g, ':');

function operationOf({ endpoint }: WireCase, described: readonly Described[]) {
  return described.find(({ method, path }) => nameless(`${method} ${path}`) === nameless(endpoint))?.operation;
}

test('the built program prints a valid OpenAPI 3.1 document, and needs no settings for it', async () => {
  const { code, stdout, stderr } = await start(['openapi']).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(stdout))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('the document has every endpoint and event of the API, each operation with its own id and a known tag', async () => {
  const [{ tags, webhooks }, described] = [await printed(), await describedOperations()];
  const paths = described.map(({ method, path }) => nameless(`${method} ${path}`));
  expect(paths.sort()).toEqual(endpoints.map(nameless).sort());
  expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(endpoints.length);
  const names = tags.map(({ name }) => name);
  for (const { operation } of described) expect(names).toContain(operation.tags[0]);
  expect(Object.keys(webhooks).sort()).toEqual([...eventNames].sort());
});

test.each(wireCases)('$tool: the document describes the hand-written request, $when', async (wireCase) => {
  const operation = operationOf(wireCase, await describedOperations());
  const query = [...new URLSearchParams(wireCase.sends.query).keys()];
  const known = operation?.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  expect(known).toEqual(expect.arrayContaining(query));
  const schema = operation?.requestBody?.content['application/json']?.schema;
  expect(schema === undefined).toBe(wireCase.sends.body === undefined);
  if (schema !== undefined) expect(z.fromJSONSchema(schema).safeParse(wireCase.sends.body).error).toBeUndefined();
});

test('every query parameter of the document is in a hand-written request', async () => {
  for (const { method, path, operation } of await describedOperations()) {
    const cases = wireCases.filter(({ endpoint }) => nameless(endpoint) === nameless(`${method} ${path}`));
    const sent = cases.flatMap(({ sends }) => [...new URLSearchParams(sends.query).keys()]);
    const described = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    expect([...new Set(sent)].sort(), path).toEqual(described.sort());
  }
});

test('every path parameter is described, and every operation can answer with each error of the API', async () => {
  for (const { path, operation } of await describedOperations()) {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required)).toBe(true);
    const statuses = Object.keys(operation.responses);
    expect(statuses).toEqual(expect.arrayContaining(['401', '403', '404', '422', '429']));
    expect(statuses).toHaveLength(6);
  }
});

test('the student endpoints and the completion percentage also take form fields', async () => {
  const described = await describedOperations();
  const forms = described.filter(({ operation }) =>
    Object.hasOwn(operation.requestBody?.content ?? {}, 'application/x-www-form-urlencoded'),
  );
  const isDocumented = (path: string) => path.startsWith('/api/v1/student/') || path.endsWith('/completion-percentage');
  expect(forms.map(({ path }) => path)).toEqual(described.map(({ path }) => path).filter((path) => isDocumented(path)));
});

test('a lesson needs its title on create only, and an update refuses unknown fields', async () => {
  const described = await describedOperations();
  const bodyOf = (id: string) => {
    const found = described.find(({ operation }) => operation.operationId === id);
    return z.fromJSONSchema(found?.operation.requestBody?.content['application/json']?.schema ?? {});
  };
  expect(bodyOf('createLesson').safeParse({ content: 'A' }).success).toBe(false);
  expect(bodyOf('updateLesson').safeParse({ content: 'A', module_id: null }).success).toBe(true);
  expect(bodyOf('updateLesson').safeParse({ name: 'A' }).success).toBe(false);
  expect(bodyOf('updateProduct').safeParse({ product: { fee: '1' } }).success).toBe(false);
});

test('ACADEMY_BASE_URL is the server of the document; without it, the host is a variable', async () => {
  expect((await printed()).servers).toMatchObject([{ url: 'https://{account}' }]);
  const settings = { ACADEMY_BASE_URL: 'https://learn.example.com/academies/north/' };
  expect((await printed(settings)).servers).toEqual([{ url: 'https://learn.example.com/academies/north' }]);
});

test('openapi names a wrong ACADEMY_BASE_URL and prints nothing else', async () => {
  const { code, stdout, stderr } = await runHere(['openapi'], { ACADEMY_BASE_URL: 'http://example.com' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('academy-mcp: ACADEMY_BASE_URL must be https (http is allowed only on this machine).\n');
});
