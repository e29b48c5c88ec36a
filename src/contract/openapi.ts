import * as z from 'zod';
import { isObject, type Json } from '../shared/json.ts';
import { acknowledgement } from './access.ts';
import { bundle } from './bundles.ts';
import { channel } from './community.ts';
import { course } from './courses.ts';
import { digitalProduct } from './digital-products.ts';
import { eventNames, events } from './events.ts';
import { type AnyOperation, operations } from './index.ts';
import type { Operation } from './operation.ts';
import { order } from './orders.ts';
import { product } from './products.ts';
import { lesson } from './schemas/lesson.ts';
import type { ResponseSchema } from './schemas/response.ts';
import { student } from './students.ts';

/** `listOrders` for `orders.listOrders`: the names are unique without their section. */
const operationIdOf = (id: string): string => id.slice(id.indexOf('.') + 1);

/** Above this, a maximum belongs to the type of the number and says nothing about the API. */
const largestRule = 1_000_000;

/** The contract names operations as tools are named: `list_orders` for the operation `listOrders`. */
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const operationIds = new Map(operations.map(({ id }) => [snakeCase(operationIdOf(id)), operationIdOf(id)]));

interface Written {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Leaves out what is no rule of the API: the lengths that this client accepts, and the limits of a number's type. */
function keepRules({ jsonSchema: schema }: Written): void {
  delete schema.maxLength;
  for (const key of ['minimum', 'maximum'] as const) if (Math.abs(schema[key] ?? 0) >= largestRule) delete schema[key];
  const [first] = schema.anyOf ?? [];
  // Zod puts the description of a nullable field on its first alternative.
  if (isObject(first) && first.description !== undefined) {
    schema.description ??= first.description;
    delete first.description;
  }
  const named = schema.description?.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => operationIds.get(word) ?? word);
  if (named !== undefined) schema.description = named;
}

/** An answer may omit every field and may have others. */
function keepShape(written: Written): void {
  keepRules(written);
  delete written.jsonSchema.required;
  delete written.jsonSchema.additionalProperties;
}

/** The JSON Schema of an object that a request sends: its fields, and the names of those that it must have. */
interface SentObject extends Json {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

function sentObject(fields: Record<string, z.ZodType>): SentObject {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(fields), { io: 'input', override: keepRules });
  // `z.object` always becomes a schema with `properties`, and `required` is a list of names if there are any.
  return schema as SentObject;
}

const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The names of the schemas that the API sends. A schema that contains another one of these refers to it. */
type Names = z.core.$ZodRegistry<{ id: string }>;

/** Refers to a schema, by a new name if it has none. */
function referTo(schema: z.ZodType, names: Names, id: string): Json {
  if (!names.has(schema)) names.add(schema, { id });
  return refTo('schemas', names.get(schema)?.id ?? id);
}

function receivedSchemas(names: Names): Json {
  const uri = (name: string) => refTo('schemas', name).$ref;
  const { schemas } = z.toJSONSchema(names, { io: 'output', uri, override: keepShape });
  const own = Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]);
  return Object.fromEntries(own);
}

// API document: "Authentication", "Errors", "Limits".

const errorBody = z.object({
  error: z.string().describe('What went wrong'),
  errors: z.array(z.object({ code: z.string().describe('Such as not_found or invalid_fields'), message: z.string() })),
  request_id: z.string().describe('To quote when asking for support'),
});

/** Names of records. Every other answer is named by its operation. */
const records = {
  Acknowledgement: acknowledgement.schema,
  Bundle: bundle,
  Channel: channel,
  Course: course,
  DigitalProduct: digitalProduct,
  Error: errorBody,
  Lesson: lesson,
  Order: order,
  Product: product,
  Student: student,
};

function bodySchema(response: ResponseSchema): z.ZodObject {
  if (response.kind === 'list') return z.object({ [response.key]: z.array(response.item), ...response.extra.shape });
  return response.kind === 'record' && response.form === 'keyed'
    ? z.object({ [response.key]: response.schema })
    : response.schema;
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const eventId = (event: string) => `${event.split('_').map(upperFirst).join('')}Event`;

/** Reads whose answer, or a part of it, is not in the API document. */
const unshownReads = [
  'community.searchChannels',
  'community.getChannel',
  'community.listCommunityGroups',
  'students.getStudentDetails',
  'students.listCompletedStudents',
  'students.listAssignmentAnswers',
  'students.listProjectPosts',
];

/** What every operation may answer instead of its result. */
const conditions = {
  401: ['Unauthorized', 'The API key is missing or invalid.'],
  403: ['Forbidden', 'The key is valid but not allowed, such as the key of a user who is not an admin.'],
  404: ['NotFound', 'The record does not exist, or the endpoint is not available.'],
  422: ['Invalid', 'A parameter is invalid. An unsupported field of an update has the code invalid_fields.'],
  429: ['RateLimited', 'The account has used its requests of this minute: 60, or 300 on an academy plan.'],
} as const;

const errorContent = { 'application/json': { schema: refTo('schemas', 'Error') } };

const errorResponses: Json = Object.fromEntries(
  Object.values(conditions).map(([name, description]) => [name, { description, content: errorContent }]),
);

const errorAnswers: Json = Object.fromEntries(
  Object.entries(conditions).map(([status, [name]]) => [status, refTo('responses', name)]),
);

const schema = { type: 'string' };
const headers = {
  'X-Request-Id': { description: 'The request, to quote when asking for support', schema },
  'X-API-Version': { description: 'v1', schema },
};

const headersOfAnswers: Json = Object.fromEntries(Object.keys(headers).map((name) => [name, refTo('headers', name)]));

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: "Authorization: Bearer <API_KEY>. The API key of an admin: Account Settings, the user's api_key.",
  },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The same key in the other form: Token token=<API_KEY>',
  },
};

/** Sections of the API document whose name is not the first part of the ids of their operations. */
const sections: Readonly<Record<string, string>> = {
  products: 'Unified products',
  access: 'Student access management',
};

function tagOf({ id }: Operation): string {
  const [section = ''] = id.split('.');
  return sections[section] ?? upperFirst(section.replace('_', ' '));
}

const tags = [...new Set([...operations.map(tagOf), 'Events'])].map((name) => ({ name }));

function parameters(fields: Operation['params'], location: 'path' | 'query'): Json[] {
  const { properties, required = [] } = sentObject(fields);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: location,
    required: required.includes(name),
    description,
    schema,
  }));
}

/** API document: updates refuse unsupported fields with the code `invalid_fields`. */
function bodyOf({ body, envelope, effect }: Operation): Json {
  const { additionalProperties: _, ...open } = sentObject(body);
  const fields = effect === 'update' ? { ...open, additionalProperties: false } : open;
  if (envelope === undefined) return fields;
  return { type: 'object', properties: { [envelope]: fields }, required: [envelope] };
}

function requestBody(operation: Operation): Json {
  if (Object.keys(operation.body).length === 0) return {};
  const media = { schema: bodyOf(operation) };
  // API document: "Student access management" takes form fields or JSON, and so does the completion percentage.
  const takesForms = operation.id.startsWith('access.') || operation.id === 'courses.getCourseCompletion';
  const form = takesForms ? { 'application/x-www-form-urlencoded': media } : {};
  return { requestBody: { required: true, content: { 'application/json': media, ...form } } };
}

/** The API document states no success status of writes: a platform may answer 200, 201 or 204. */
function answers(operation: Operation, names: Names): Json {
  const assumed = 'The API document does not show this body: its fields are an assumption.';
  const isShown = operation.effect === 'read' && !unshownReads.includes(operation.id);
  const schema = referTo(bodySchema(operation.response), names, `${upperFirst(operationIdOf(operation.id))}Answer`);
  const success = {
    description: isShown ? 'Success.' : `Success. ${assumed}`,
    headers: headersOfAnswers,
    content: { 'application/json': { schema } },
  };
  return { [operation.effect === 'read' ? '200' : '2XX']: success, ...errorAnswers };
}

function operationObject(operation: AnyOperation, names: Names): Json {
  const { id, summary, params, query } = operation;
  return {
    operationId: operationIdOf(id),
    tags: [tagOf(operation)],
    summary,
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query')],
    ...requestBody(operation),
    responses: answers(operation, names),
  };
}

const description = [
  'Reads and changes one account of an online course platform. Every request needs the API key of an admin of the account.',
  'The account has 60 requests a minute, or 300 on an academy plan, for all keys together.',
  'Ids are integers, except those of orders. Amounts are decimal strings. Times are ISO 8601 in UTC.',
  'An answer may omit any field and may have others. PUT does the same as PATCH.',
].join(' ');

function paths(names: Names): Json {
  const found: Record<string, Json> = {};
  for (const operation of operations) {
    // `/api/v1/courses/{course_id}` for `/api/v1/courses/:course_id`.
    const path = operation.path.replace(/:([a-z_]+)/g, '{$1}');
    found[path] = { ...found[path], [operation.method.toLowerCase()]: operationObject(operation, names) };
  }
  return found;
}

/** The API posts its events to webhooks, which an admin creates in the web application. */
function webhooks(names: Names): Json {
  const post = (event: (typeof eventNames)[number]) => ({
    operationId: event,
    tags: ['Events'],
    summary: `The event ${event}.`,
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: referTo(events[event], names, eventId(event)) } },
    },
    responses: { '2XX': { description: 'Received.' } },
  });
  return Object.fromEntries(eventNames.map((event) => [event, { post: post(event) }]));
}

/** An address that a reader replaces by that of an account. */
const anyAccount = {
  url: 'https://{account}',
  description: 'The address of the account',
  variables: { account: { default: 'academy.example.com', description: 'Host name of the account' } },
};

/** An OpenAPI 3.1 document of the API. Without `baseUrl`, the address of the account is a variable. */
export function openApiDocument(baseUrl: URL | undefined): Json {
  const names: Names = z.registry();
  for (const [name, schema] of Object.entries(records)) referTo(schema, names, name);
  return {
    openapi: '3.1.0',
    info: { title: 'Learning Platform Admin API', version: 'v1', description },
    servers: [baseUrl === undefined ? anyAccount : { url: baseUrl.href.replace(/\/$/, '') }],
    security: [{ bearer: [] }, { token: [] }],
    tags,
    paths: paths(names),
    webhooks: webhooks(names),
    components: {
      schemas: receivedSchemas(names),
      responses: errorResponses,
      headers,
      securitySchemes,
    },
  };
}
