import type * as z from 'zod';
import type { OperationById, OperationId } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { ResponseBody } from '../contract/schemas/response.ts';
import type { Academy } from './state/academy.ts';

/** An error response of the sandbox. API document: "Errors". */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** For invalid_fields: the accepted fields. */
  readonly supportedFields: readonly string[] | undefined;

  constructor(status: number, code: string, message: string, supportedFields?: readonly string[]) {
    super(message);
    this.status = status;
    this.code = code;
    this.supportedFields = supportedFields;
  }
}

export function notFound(what: string): Problem {
  return new Problem(404, 'not_found', `${what} not found`);
}

export function invalidParameter(message: string): Problem {
  return new Problem(422, 'invalid_parameter', message);
}

export function invalidFields(unsupported: readonly string[], supported: readonly string[]): Problem {
  return new Problem(422, 'invalid_fields', `Unsupported fields: ${unsupported.join(', ')}`, supported);
}

type Fields<O extends Operation> = z.ZodObject<O['params'] & O['query'] & O['body']>;

/**
 * Answers one operation from the state, or throws a `Problem`. The input is validated and flat, as in the contract. A
 * handler does no I/O and reads no clock but `academy.now()`, so a journal can be replayed through it.
 */
type Handler<O extends Operation> = (input: z.output<Fields<O>>, academy: Academy) => ResponseBody<O['response']>;

/** One handler per operation of the contract. A missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<OperationById<Id>> };

/** The handlers of one section of the API document. */
export type SectionHandlers<Section extends string> = {
  readonly [Id in OperationId as Id extends `${Section}.${string}` ? Id : never]: Handler<OperationById<Id>>;
};
