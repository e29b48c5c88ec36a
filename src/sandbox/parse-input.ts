import * as z from 'zod';
import { type AnyOperation, operations } from '../contract/index.ts';
import { inputSchema, type Operation } from '../contract/operation.ts';
import { productTypes } from '../contract/products.ts';
import { apiTitle, integer } from '../contract/schemas/input-fields.ts';
import { isObject } from '../shared/json.ts';
import type { RequestBody } from './http/request-body.ts';
import { invalidFields, invalidParameter, notFound, type Problem } from './problem.ts';
import { storedType, supportedAttributes } from './state/products.ts';

type Fields = Record<string, unknown>;

/** The three places that a request's values come from. */
export interface RequestParts {
  params: Record<string, string>;
  query: Record<string, string>;
  body: RequestBody;
}

/**
 * Where the contract, written for agents, is stricter than the API document: that sets no highest page, no
 * longest search for products and channels, compares the email of an order with whatever is asked for, and forbids
 * no character of names and titles.
 */
const lenient: Record<string, Record<string, z.ZodType>> = {
  'products.searchProducts': { query: z.string().optional() },
  'community.searchChannels': { query: z.string().optional() },
  'community.searchPosts': { page: anyPage() },
  'orders.listOrders': { page: anyPage(), user_email: z.string().optional() },
  'students.listStudents': { page: anyPage() },
  'courses.createLesson': { title: apiTitle('') },
  'courses.updateLesson': { title: apiTitle('').optional() },
  'products.updateProduct': { title: apiTitle('').optional() },
  'community.createChannel': { name: apiTitle('') },
  'community.updateChannel': { name: apiTitle('').optional() },
  'access.enrollStudent': { name: apiTitle('').optional() },
  'access.unenrollStudent': { name: apiTitle('') },
  'access.revokeCourse': { name: apiTitle('') },
};

function anyPage() {
  return integer(1, Number.MAX_SAFE_INTEGER, 'Page number from 1').optional();
}

const schemas = new Map(
  operations.map((operation) => {
    const schema: z.ZodObject = inputSchema<Operation>(operation);
    return [operation.id, schema.extend(lenient[operation.id] ?? {})] as const;
  }),
);

/** The flat arguments of an operation, from all parts of a request. Throws a Problem that names the parameter. */
export function parseInput(operation: AnyOperation, parts: RequestParts): Fields {
  const given = {
    ...known(parts.query, operation.query),
    ...bodyFields(operation, parts),
    ...parts.params,
  };
  return validateInput(operation, given);
}

/** Checks flat arguments. Throws a Problem. */
export function validateInput(operation: AnyOperation, given: Fields): Fields {
  const result = schemas.get(operation.id)?.safeParse(given);
  if (result?.success) return result.data;
  throw problemOf(operation, given, result?.error.issues ?? []);
}

/** Query parameters that the operation does not have are passed over, as Rails does. */
function known(values: Fields, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(fields, name)));
}

/**
 * API document: lessons, products and channels refuse fields that they do not have; the student endpoints
 * take form parameters, of which Rails passes over what it does not know and what is null.
 */
function bodyFields(operation: AnyOperation, { params, body }: RequestParts): Fields {
  const fields = operation.envelope === undefined ? body.fields : unwrap(body.fields, operation.envelope);
  if (!writesRecord(operation)) return present(known(fields, operation.body));
  const supported = supportedFields(operation, params);
  const unsupported = Object.keys(fields).filter((name) => !supported.includes(name));
  if (unsupported.length > 0) throw invalidFields(unsupported, supported);
  if (operation.needsChange && Object.keys(fields).length === 0) throw invalidParameter('no field to change is given');
  return body.isForm ? blanksToNull(fields, operation.body) : fields;
}

/** Of a product, the attributes that its type has: a list that names others would only lead to the next refusal. */
function supportedFields(operation: AnyOperation, params: Record<string, string>): readonly string[] {
  const type =
    operation.id === 'products.updateProduct' ? productTypes.find((name) => name === params.product_type) : undefined;
  return type === undefined ? Object.keys(operation.body) : supportedAttributes[storedType(type)];
}

function writesRecord({ effect, response }: AnyOperation): boolean {
  return effect !== 'read' && response.kind === 'record';
}

function unwrap(given: Fields, envelope: string): Fields {
  const inner = given[envelope];
  if (inner === undefined) throw invalidParameter(`${envelope} is missing`);
  if (!isObject(inner)) throw invalidParameter(`${envelope} must be an object`);
  return inner;
}

function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** A form has no null: a blank means it where a blank means nothing else. */
function blanksToNull(fields: Fields, schemaOf: Record<string, z.ZodType>): Fields {
  const isNull = (name: string, value: unknown) =>
    value === '' && !schemaOf[name]?.safeParse('').success && schemaOf[name]?.safeParse(null).success;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isNull(name, value) ? null : value]));
}

function problemOf(operation: AnyOperation, given: Fields, issues: readonly z.core.$ZodIssue[]): Problem {
  const names = issues.map(({ path }) => String(path[0]));
  const stray = names.find((name) => namesNoRecord(operation, name, given[name]));
  if (stray !== undefined) return notFound(`${stray} ${String(given[stray]).slice(0, 100)}`);
  const messages = issues.map(({ message }, index) => describe(names[index] ?? '', given, message));
  return invalidParameter(messages.join('; '));
}

/**
 * True for a path value of the right kind that no record can have, such as id 0 or a slug with a blank: that is
 * a record not found. A word where the path has a number stays a malformed value.
 */
function namesNoRecord(operation: AnyOperation, name: string, value: unknown): boolean {
  const schema = (operation.params as Record<string, z.ZodType>)[name];
  const one = schema?.safeParse('1');
  if (!one?.success) return false;
  return typeof one.data === 'string' || /^[+-]?\d+$/.test(String(value));
}

/** What zod puts before its own words, where a field has none. */
const jargon = /^(Too (big|small)|Invalid (input|option|string)): /;

function describe(name: string, given: Fields, message: string): string {
  return given[name] === undefined ? `${name} is missing` : `${name} is invalid: ${message.replace(jargon, '')}`;
}
