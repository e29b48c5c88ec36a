import * as z from 'zod';
import type { Capability } from './capabilities.ts';
import type { ParsedResponse, ResponseSchema } from './schemas/response.ts';

type Method = 'GET' | 'POST' | 'PATCH';

/** What a call does to the academy. Decides read-only mode, confirmation and tool annotations. */
export type Effect = 'read' | 'create' | 'update' | 'destroy';

/**
 * What a second, identical call does. Decides retries and the annotation `idempotentHint`.
 * `safe`: nothing. `same_effect`: leaves the same state. `creates`: creates a second record.
 * `time_bound`: also deletes what was created since the first call.
 */
export type Repeat = 'safe' | 'same_effect' | 'creates' | 'time_bound';

/** The names of the `:name` segments of a path: `'/a/:x/b/:y'` gives `'x' | 'y'`. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Fields = Record<string, z.ZodType>;
/** An object without fields. An intersection can still add some. */
type NoFields = Record<never, z.ZodType>;
type PathFields<Path extends string> = { [Name in PathParameter<Path>]: z.ZodType };
type NoOtherKeys<Given, Allowed extends PropertyKey> = { [Key in Exclude<keyof Given, Allowed>]: never };

/** What a write may change elsewhere than in its own record, even if it failed. */
type Changeable = 'orders' | 'students' | 'completions' | 'structures' | 'catalog';

/**
 * How a write can be undone. `restore`: by writing the old values, as far as the API showed them. `compensate`: by the
 * opposite write, which leaves other records than before. `hide`: the created record stays, hidden. `none`: not at all.
 */
type UndoClass = 'restore' | 'compensate' | 'hide' | 'none';

/**
 * Of a write: where an agent looks for its effect if the outcome is unknown ("get_student_details"), what it may change,
 * and how it can be undone.
 */
type WithCheck<Change extends Effect> = Change extends 'read'
  ? { checkWith?: never; changes?: never; undo?: never; undoWith?: never }
  : { checkWith: string; changes: readonly Changeable[]; undo: UndoClass; undoWith: string };

type WithParams<Path extends string, Params> = [PathParameter<Path>] extends [never]
  ? { params?: never }
  : { params: Params & PathFields<Path> & NoOtherKeys<Params, PathParameter<Path>> };

/** What its definition says of an operation. */
interface Described<Id extends string, Path extends string, Response extends ResponseSchema, Change extends Effect> {
  /** `section.name`, unique. The tool has the same `name` in snake case. */
  readonly id: Id;
  readonly method: Method;
  /** Relative to the base URL. `params` has the schema of each `:name`. */
  readonly path: Path;
  /** The effect according to the API document, in one sentence. */
  readonly summary: string;
  readonly effect: Change;
  readonly repeat: Repeat;
  /** The API answers 403 if this capability of the account is off. */
  readonly capability: Capability;
  /** The key above the body's fields, as in `{"channel": {...}}`. */
  readonly envelope?: string;
  readonly response: Response;
}

export interface Operation<
  Id extends string = string,
  Path extends string = string,
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends Fields = Fields,
  Response extends ResponseSchema = ResponseSchema,
  Change extends Effect = Effect,
> extends Described<Id, Path, Response, Change> {
  /** Of a write: where an agent looks for its effect if the outcome is unknown. */
  readonly checkWith?: string;
  /** Of a write: what a copy of the academy must read again after it. */
  readonly changes: readonly Changeable[];
  /** Of a read: `none`. */
  readonly undo: UndoClass;
  /** Of a write: how it can be undone, in a few words. */
  readonly undoWith?: string;
  readonly params: Params;
  readonly query: Query;
  /** A call of an update must have at least one of these fields. */
  readonly body: Body;
}

/**
 * Describes one operation of the API. The client encodes requests from it, a tool calls it, the sandbox must handle it.
 * A `:name` in the path without a schema does not compile.
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
  definition: Described<Id, Path, Response, Change> & { query?: Query; body?: Body } & WithCheck<Change> &
    WithParams<Path, Params>,
): Operation<Id, Path, Params, Query, Body, Response, Change> {
  // A part that is left out has no fields.
  const empty = { params: {} as Params, query: {} as Query, body: {} as Body };
  return { ...empty, changes: [], undo: 'none', ...definition };
}

export type FieldsOf<O extends Operation> = O['params'] & O['query'] & O['body'];

/** All arguments of an operation after validation: path, query and body fields in one flat object. */
export type InputOf<O extends Operation> = z.output<z.ZodObject<FieldsOf<O>>>;

export type AnswerOf<O extends Operation> = ParsedResponse<O['response']>;

/** The flat, strict schema of an operation's arguments. Names of path, query and body fields never clash. */
export function inputSchema<O extends Operation>(operation: O): z.ZodObject<FieldsOf<O>, z.core.$strict> {
  return z.strictObject({ ...operation.params, ...operation.query, ...operation.body }) as z.ZodObject<
    FieldsOf<O>,
    z.core.$strict
  >;
}

export function argumentSchema({ params, query, body }: Operation, name: string): z.ZodType | undefined {
  return [params, query, body].find((fields) => Object.hasOwn(fields, name))?.[name];
}
