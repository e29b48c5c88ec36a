import * as z from 'zod';
import { type AnyOperation, type OperationId, operations } from '../contract/index.ts';
import { inputSchema, type Operation } from '../contract/operation.ts';
import { productTypes } from '../contract/products.ts';
import { apiTitle, integer } from '../contract/schemas/input-fields.ts';
import { isObject, type Json } from '../shared/json.ts';
import { invalidFields, invalidParameter, notFound, type Problem } from './handler.ts';
import { storedType, supportedAttributes } from './state/products.ts';

interface RequestParts {
  params: Record<string, string>;
  query: Record<string, string>;
  body: { readonly fields: Json; readonly isForm: boolean };
}

/** The contract, written for agents, is stricter: the API document sets no highest page and forbids no character in titles. */
const lenientFields: Readonly<Record<string, z.ZodType>> = {
  page: integer(1, Number.MAX_SAFE_INTEGER, ''),
  title: apiTitle(''),
  name: apiTitle(''),
};

/** The same for single operations: searches of any length, and a filter that compares any text with the order's email. */
const lenientArguments: Partial<Record<OperationId, Record<string, z.ZodType>>> = {
  'products.searchProducts': { query: z.string().optional() },
  'community.searchChannels': { query: z.string().optional() },
  'orders.listOrders': { user_email: z.string().optional() },
};

function lenientSchema(operation: AnyOperation): z.ZodObject {
  const schema: z.ZodObject = inputSchema<Operation>(operation);
  const fields = Object.entries(lenientFields)
    .filter(([name]) => Object.hasOwn(schema.shape, name))
    .map(([name, field]) => [name, schema.shape[name] instanceof z.ZodOptional ? field.optional() : field] as const);
  return schema.extend({ ...Object.fromEntries(fields), ...lenientArguments[operation.id] });
}

const schemas = new Map(operations.map((operation) => [operation.id, lenientSchema(operation)]));

/** Reads and validates the arguments of an operation from a request. Throws a Problem that names the parameter. */
export function parseInput(operation: AnyOperation, parts: RequestParts): Json {
  const query = known(parts.query, operation.query);
  return validateInput(operation, { ...query, ...bodyFields(operation, parts), ...parts.params });
}

/** Validates flat arguments. Throws a Problem that names the parameter. */
export function validateInput(operation: AnyOperation, input: Json): Json {
  const result = schemas.get(operation.id)?.safeParse(input);
  if (result?.success) return result.data;
  throw inputProblem(operation, input, result?.error.issues ?? []);
}

/** Drops parameters that the operation does not have, as Rails does. */
const known = (values: Json, fields: Json) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(fields, name)));

/** API document: lessons, products, channels refuse unknown fields. Student endpoints are forms: Rails drops them, and nulls. */
function bodyFields(operation: AnyOperation, { params, body }: RequestParts): Json {
  const fields = operation.envelope === undefined ? body.fields : fieldsUnder(body.fields, operation.envelope);
  if (!writesRecord(operation)) return withoutNulls(known(fields, operation.body));
  const supported = supportedFields(operation, params);
  const unsupported = Object.keys(fields).filter((name) => !supported.includes(name));
  if (unsupported.length > 0) throw invalidFields(unsupported, supported);
  if (operation.effect === 'update' && Object.keys(fields).length === 0)
    throw invalidParameter('at least one field to change is required');
  return body.isForm ? blanksToNull(fields, operation.body) : fields;
}

/** For a product, the attributes of its type: a longer list would invite the next refusal. */
function supportedFields(operation: AnyOperation, params: Record<string, string>): readonly string[] {
  const type = productTypes.find((name) => name === params.product_type);
  return type === undefined ? Object.keys(operation.body) : supportedAttributes[storedType(type)];
}

const writesRecord = ({ effect, response }: AnyOperation) => effect !== 'read' && response.kind === 'record';

function fieldsUnder(input: Json, envelope: string): Json {
  const inner = input[envelope];
  if (isObject(inner)) return inner;
  throw invalidParameter(`${envelope} ${inner === undefined ? 'is missing' : 'must be an object'}`);
}

const withoutNulls = (fields: Json) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** A form has no null: a blank is null if the field allows null and no blank. */
function blanksToNull(fields: Json, schemaOf: Record<string, z.ZodType>): Json {
  const isNull = (name: string, value: unknown) =>
    value === '' && !schemaOf[name]?.safeParse('').success && schemaOf[name]?.safeParse(null).success;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isNull(name, value) ? null : value]));
}

function inputProblem(operation: AnyOperation, input: Json, issues: readonly z.core.$ZodIssue[]): Problem {
  const names = issues.map(({ path }) => String(path[0]));
  const stray = names.find((name) => namesNoRecord(operation, name, input[name]));
  if (stray !== undefined) return notFound(`${stray} ${String(input[stray]).slice(0, 100)}`);
  const messages = issues.map(({ message }, index) => describe(names[index] ?? '', input, message));
  return invalidParameter(messages.join('; '));
}

/** A value of the right type that no record can have, such as id 0, answers 404. A word for a number is an invalid value. */
function namesNoRecord(operation: AnyOperation, name: string, value: unknown): boolean {
  const schema = (operation.params as Record<string, z.ZodType>)[name];
  const one = schema?.safeParse('1');
  if (!one?.success) return false;
  return typeof one.data === 'string' || /^[+-]?\d+$/.test(String(value));
}

/** Zod's prefix of a message, if a field has no message of its own. */
const zodPrefix = /^(Too (big|small)|Invalid (input|option|string)): /;

function describe(name: string, input: Json, message: string): string {
  return input[name] === undefined ? `${name} is missing` : `${name} is invalid: ${message.replace(zodPrefix, '')}`;
}
