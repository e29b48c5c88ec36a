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

/** The path of the base URL, without slashes at its end. */
function pathBefore({ pathname }: URL): string {
  const last = [...pathname].findLastIndex((character) => character !== '/');
  return pathname.slice(0, last + 1);
}

/**
 * The schemas already refuse separators and dots in ids and slugs. This checks the finished URL too, because the URL
 * parser decides what a path means.
 */
function assertSamePlace(url: URL, base: URL, path: string): void {
  const expected = base.pathname.split('/').filter(Boolean).length + path.split('/').filter(Boolean).length;
  const segments = url.pathname.split('/').filter(Boolean).length;
  const prefix = `${pathBefore(base)}/api/v1/`;
  if (url.origin !== base.origin || segments !== expected || !url.pathname.startsWith(prefix)) {
    throw new AcademyError('invalid_input', 'an id or slug would change the address of the request');
  }
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

/** The HTTP request of an operation. `base` may have a path; it has no query and no fragment. */
export function encodeRequest<O extends Operation>(base: URL, operation: O, input: InputOf<O>): EncodedRequest {
  const values = input as Values;
  const url = new URL(base.href);
  const path = operation.path.replace(/:([a-z_]+)/g, (_match, name: string) => pathValue(name, values[name]));
  url.pathname = pathBefore(base) + path;
  assertSamePlace(url, base, operation.path);
  for (const [name, value] of Object.entries(pick(operation.query, values))) url.searchParams.set(name, String(value));
  return { method: operation.method, url, body: encodeBody(operation, values) };
}
