import type { InputOf, Operation } from '../../contract/operation.ts';
import { AcademyError } from '../../shared/errors.ts';

export interface EncodedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | undefined;
}

type Values = Record<string, unknown>;

function pathValue(name: string, value: unknown): string {
  const written = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (written === '' || written === '.' || written === '..') {
    throw new AcademyError('invalid_input', `${name} must be one path segment`);
  }
  return encodeURIComponent(written);
}

function pick(fields: Values, input: Values): Values {
  const given = Object.keys(fields).filter((name) => input[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, input[name]]));
}

function encodeBody(operation: Operation, input: Values): string | undefined {
  if (Object.keys(operation.body).length === 0) return undefined;
  const fields = pick(operation.body, input);
  return JSON.stringify(operation.envelope === undefined ? fields : { [operation.envelope]: fields });
}

const segmentsIn = (path: string) => path.split('/').filter(Boolean).length;

/** The HTTP request of an operation. `base` may have a path; it has no query and no fragment. */
export function encodeRequest<O extends Operation>(base: URL, operation: O, input: InputOf<O>): EncodedRequest {
  const { method, path } = operation;
  const values: Values = input;
  const prefix = base.pathname.replace(/\/+$/, '');
  const url = new URL(base.href);
  url.pathname = prefix + path.replace(/:([a-z_]+)/g, (_match, name: string) => pathValue(name, values[name]));
  // The schemas already refuse separators and dots in ids and slugs. But the URL parser decides what a path means.
  const isWithin = url.origin === base.origin && url.pathname.startsWith(`${prefix}/api/v1/`);
  if (!isWithin || segmentsIn(url.pathname) !== segmentsIn(prefix + path))
    throw new AcademyError('invalid_input', 'an id or slug would change the address of the request');
  for (const [name, value] of Object.entries(pick(operation.query, values))) url.searchParams.set(name, String(value));
  return { method, url, body: encodeBody(operation, values) };
}
