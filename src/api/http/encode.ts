import type { InputOf, Operation } from '../../contract/operation.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';

export interface EncodedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | undefined;
}

/** Encoded, a value has no separator, so only these three can change what the path means. */
function pathValue(name: string, value: unknown): string {
  const written = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (written === '' || written === '.' || written === '..')
    throw new AcademyError('invalid_input', `${name} must be one path segment`);
  return encodeURIComponent(written);
}

function pick(fields: Json, input: Json): Json {
  const present = Object.keys(fields).filter((name) => input[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, input[name]]));
}

/** The HTTP request of an operation. `base` may have a path; it has no query and no fragment. */
export function encodeRequest<O extends Operation>(base: URL, operation: O, input: InputOf<O>): EncodedRequest {
  const { method, path, envelope } = operation;
  const values: Json = input;
  const prefix = base.pathname.replace(/\/+$/, '');
  const url = new URL(base.href);
  url.pathname = prefix + path.replace(/:([a-z_]+)/g, (_match, name: string) => pathValue(name, values[name]));
  for (const [name, value] of Object.entries(pick(operation.query, values))) url.searchParams.set(name, String(value));
  const fields = pick(operation.body, values);
  const content = JSON.stringify(envelope === undefined ? fields : { [envelope]: fields });
  return { method, url, body: Object.keys(operation.body).length === 0 ? undefined : content };
}
