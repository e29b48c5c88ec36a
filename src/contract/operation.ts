import * as z from 'zod';
import type { Capability } from './capabilities.ts';
import type { ResponseSchema } from './schemas/response.ts';

export type Method = 'GET' | 'POST' | 'PATCH';

/** What a call does to the academy. Decides read-only mode, the confirm guard and the hints. */
export type Effect = 'read' | 'create' | 'update' | 'destroy';

/**
 * What a second, equal call does. Decides retries and the idempotent hint.
 * `safe`: nothing. `same_effect`: leaves the same state. `creates`: makes a second record.
 * `time_bound`: destroys what came to be in between.
 */
export type Repeat = 'safe' | 'same_effect' | 'creates' | 'time_bound';

/** The names of the `:name` segments of a path: `'/a/:x/b/:y'` gives `'x' | 'y'`. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Fields = Record<string, z.ZodType>;
/** An object without fields that still allows others to be added by intersection. */
type NoFields = Record<never, z.ZodType>;
type PathFields<Path extends string> = { [Name in PathParameter<Path>]: z.ZodType };
type NoOtherKeys<Given, Allowed extends PropertyKey> = { [Key in Exclude<keyof Given, Allowed>]: never };

interface Definition<
  Id extends string,
  Path extends string,
  Query extends Fields,
  Body extends Fields,
  Response extends ResponseSchema,
  Change extends Effect,
> {
  /** `section.name`, unique. The tool of this operation is `name` in snake case. */
  id: Id;
  method: Method;
  /** Relative to the base URL. Each `:name` has its schema in `params`. */
  path: Path;
  /** One sentence: what the API document says this does. */
  summary: string;
  effect: Change;
  repeat: Repeat;
  /** The capability of the account without which the API refuses this with a 403. */
  capability: Capability;
  query?: Query;
  body?: Body;
  /** The key that the body's fields are nested under, as in `{"channel": {...}}`. */
  envelope?: string;
  /** An update needs at least one of the body's fields. */
  needsChange?: boolean;
  response: Response;
}

type WithParams<Path extends string, Params> = [PathParameter<Path>] extends [never]
  ? { params?: never }
  : { params: Params & PathFields<Path> & NoOtherKeys<Params, PathParameter<Path>> };

export interface Operation<
  Id extends string = string,
  Path extends string = string,
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends Fields = Fields,
  Response extends ResponseSchema = ResponseSchema,
  Change extends Effect = Effect,
> {
  readonly id: Id;
  readonly method: Method;
  readonly path: Path;
  readonly summary: string;
  readonly effect: Change;
  readonly repeat: Repeat;
  readonly capability: Capability;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly envelope: string | undefined;
  readonly needsChange: boolean;
  readonly response: Response;
}

/**
 * Describes one operation of the API, once. The client encodes from it, the tool is built around it,
 * the sandbox must have a handler for it. A `:name` in the path without a schema does not compile.
 */
export function defineOperation<
  const Id extends string,
  const Path extends string,
  Response extends ResponseSchema,
  const Change extends Effect,
  Params extends Fields = NoFields,
  Query extends Fields = NoFields,
  Body extends Fields = NoFields,
>(
  definition: Definition<Id, Path, Query, Body, Response, Change> & WithParams<Path, Params>,
): Operation<Id, Path, Params, Query, Body, Response, Change> {
  const { params, query, body, envelope, needsChange = false, ...rest } = definition;
  return {
    ...rest,
    params: (params ?? {}) as Params,
    query: (query ?? {}) as Query,
    body: (body ?? {}) as Body,
    envelope,
    needsChange,
  };
}

type FieldsOf<O extends Operation> = O['params'] & O['query'] & O['body'];

/** All arguments of an operation, flat and checked: path, query and body fields side by side. */
export type InputOf<O extends Operation> = z.output<z.ZodObject<FieldsOf<O>>>;

/** The flat, strict schema of an operation's arguments. Field names of path, query and body never clash. */
export function inputSchema<O extends Operation>(operation: O): z.ZodObject<FieldsOf<O>, z.core.$strict> {
  return z.strictObject({ ...operation.params, ...operation.query, ...operation.body }) as z.ZodObject<
    FieldsOf<O>,
    z.core.$strict
  >;
}

/** The schema of one argument of an operation. */
export function argumentSchema({ params, query, body }: Operation, name: string): z.ZodType | undefined {
  return [params, query, body].find((fields) => Object.hasOwn(fields, name))?.[name];
}
