import type { Malformed } from './malformed.ts';

type Json = Record<string, unknown>;

export const long = 'a'.repeat(100_000);

export const request = (id: unknown, method: unknown, params?: unknown): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
export const notice = (method: unknown, params?: unknown): Json => ({ jsonrpc: '2.0', method, params });
export const call = (id: unknown, params: unknown): Json => request(id, 'tools/call', params);
export const tool = { name: 'list_roles', arguments: {} };

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 40 ? `${text.slice(0, 40)}… of ${text.length}` : text;
}

export function each(
  what: string,
  values: readonly unknown[],
  make: (value: unknown, id: string) => unknown,
): Malformed[] {
  return values.map((value) => {
    const name = `${what}: ${shown(value)}`;
    return { name, bytes: Buffer.from(JSON.stringify(make(value, name))) };
  });
}

/** Like `each`, for requests with a readable id: they must be answered with an error. */
export function refused(
  what: string,
  values: readonly unknown[],
  make: (value: unknown, id: string) => unknown,
): Malformed[] {
  return each(what, values, make).map((one) => ({ ...one, refused: one.name }));
}

export const objectTypes = [null, true, 1, 'x', [], [1]];
