import type * as z from 'zod';
import type { OperationById, OperationId } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { ResponseBody } from '../contract/schemas/response.ts';
import type { Academy } from './state/academy.ts';
import { findByIdOrSlug } from './state/collections.ts';

interface ProblemExtras {
  readonly headers?: Record<string, string>;
  /** For invalid_fields. API document, "Errors": it mentions this list, but not its key, which is a guess. */
  readonly supported_fields?: readonly string[];
}

/** An error response of the sandbox. API document: "Errors". */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly extras: ProblemExtras;

  constructor(status: number, code: string, message: string, extras: ProblemExtras = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.extras = extras;
  }
}

export const notFound = (what: string) => new Problem(404, 'not_found', `${what} not found`);

export const invalidParameter = (message: string) => new Problem(422, 'invalid_parameter', message);

export const invalidFields = (unsupported: readonly string[], supported_fields: readonly string[]) =>
  new Problem(422, 'invalid_fields', `Unsupported fields: ${unsupported.join(', ')}`, { supported_fields });

type Fields<O extends Operation> = z.ZodObject<O['params'] & O['query'] & O['body']>;

/**
 * Answers one operation from the state, or throws a `Problem`. The input is validated and flat, as in the contract. A
 * handler does no I/O and reads no clock but `academy.now()`, so a journal can be replayed through it.
 */
type Handler<O extends Operation> = (input: z.output<Fields<O>>, academy: Academy) => ResponseBody<O['response']>;

/** One handler per operation of the contract. A missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<OperationById<Id>> };

export type SectionHandlers<Section extends string> = {
  readonly [Id in OperationId as Id extends `${Section}.${string}` ? Id : never]: Handler<OperationById<Id>>;
};

/** Returns the record or throws a 404, as do those that follow. */
export function found<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw notFound(what);
  return row;
}

export const requireCourse = ({ catalogue }: Academy, id: number) => found(catalogue.courses.get(id), 'Course');

export const requireBundle = ({ catalogue }: Academy, id: number) => found(catalogue.bundles.get(id), 'Bundle');

export const requireRole = ({ catalogue }: Academy, id: number) => found(catalogue.roles.get(id), 'Role');

export const requireStudent = ({ students }: Academy, email: string) => found(students.withEmail(email), 'Student');

export const requireChannel = ({ community }: Academy, idOrSlug: string) =>
  found(findByIdOrSlug(community.channels.all(), idOrSlug), 'Channel');

/** The type of an update without undefined fields: TypeScript cannot know that JSON has none. */
type DefinedFields<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

export function definedFields<Fields extends object>(fields: Fields): DefinedFields<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as DefinedFields<Fields>;
}

/** Whether one of the texts contains the query, ignoring case. Every text contains an empty query. */
export function contains(query: string, ...texts: readonly string[]): boolean {
  const wanted = query.trim().toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** The rows of a page, counted from 1, and the number of pages. */
export function pageOf<Row>(rows: readonly Row[], page: number, perPage: number) {
  return { rows: rows.slice((page - 1) * perPage, page * perPage), pages: Math.ceil(rows.length / perPage) };
}
