import { expect } from 'vitest';
import * as z from 'zod';
import { startSandbox } from '../../src/sandbox/index.ts';
import { atEnd } from './at-end.ts';
import { differences, errorItemShape } from './shapes.ts';

export type Row = Record<string, unknown>;
export type SandboxOptions = NonNullable<Parameters<typeof startSandbox>[0]>;

export type Answer = Awaited<ReturnType<typeof request>>;

export type Academy = Awaited<ReturnType<typeof openAcademy>>;

/** A fresh sandbox for plain HTTP, by default without a rate limit; it closes with the test. */
export async function startAcademy(options: SandboxOptions = {}) {
  return openAcademy({ rateLimit: 'off', ...options });
}

/** The same with the rate limit of the account's plan. */
export async function openAcademy(options: SandboxOptions) {
  const { url, apiKey, studentKey, close } = await startSandbox(options);
  atEnd(() => close());
  /** Sends a request with the admin's key; `body` is sent as JSON, or as a form if it is URLSearchParams. */
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    request(`${url}${path}`, method, body, { authorization: `Bearer ${apiKey}`, ...headers });
  /** GETs `path`, which must answer 200 with a JSON object. */
  const read = async (path: string) => {
    const { status, body } = await send('GET', path);
    expect(status, path).toBe(200);
    return row(body);
  };
  /** The records of the only list in the answer. */
  const list = async (path: string) => listed(await read(path));
  /** Sends a write, which must answer 2xx. */
  const write = async (method: string, path: string, body: unknown) => {
    const answer = await send(method, path, body);
    expect([200, 201, 202, 204], `${method} ${path}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
    return answer;
  };
  return { url, apiKey, studentKey, send, read, list, write };
}

/** One plain HTTP request; its only header of ours is the content type. */
export async function request(url: string, method: string, body?: unknown, headers: Record<string, string> = {}) {
  const form = body instanceof URLSearchParams;
  const type = { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' };
  const payload = form ? { body: body.toString() } : { body: JSON.stringify(body) };
  const init = body === undefined ? { method, headers } : { method, headers: { ...type, ...headers }, ...payload };
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export const row = (value: unknown): Row => z.record(z.string(), z.unknown()).parse(value);
export const rows = (value: unknown): Row[] => z.array(z.record(z.string(), z.unknown())).parse(value);
export const words = (value: unknown): string => z.string().parse(value);
export const whole = (value: unknown): number => z.number().int().parse(value);

/** The element at `index`, which must exist: without it, the test would prove nothing. */
export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`the sandbox gave ${items.length} records, the test needs ${index + 1}`);
  return item;
}

/** The first matching element; the seeded data must contain one. */
export function the<Item>(items: readonly Item[], what: string, fits: (item: Item) => boolean): Item {
  const item = items.find(fits);
  if (item === undefined) throw new Error(`the seeded data hold no ${what}`);
  return item;
}

/** A time between the middle two of some times that equals none of them, so that inclusive and exclusive bounds agree. */
export function between(times: readonly string[]): string {
  const known = [...new Set(times.map((time) => Date.parse(time)))].sort((one, other) => one - other);
  const middle = Math.floor(known.length / 2);
  return new Date((at(known, middle - 1) + at(known, middle)) / 2).toISOString();
}

/** A record that is bare or under its own key: the document leaves that open for answers to writes. */
export function under(body: unknown, key: string): Row {
  const record = row(body);
  return key in record ? row(record[key]) : record;
}

/** A list that is bare or under one key: the document leaves that open for some student lists. */
export function listed(body: unknown): Row[] {
  if (Array.isArray(body)) return rows(body);
  return rows(Object.values(row(body)).find((value) => Array.isArray(value)));
}

/** Checks an answer for the documented error body: message, at least one code with a message, and the request id. */
export function expectError(answer: Answer, status: number, code?: string): Row {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  const body = row(answer.body);
  expect(body.error).toBeTypeOf('string');
  expect(body.request_id).toBeTypeOf('string');
  const errors = rows(body.errors);
  expect(errors.length).toBeGreaterThan(0);
  for (const item of errors) expect(differences(pick(item), errorItemShape)).toEqual([]);
  if (code !== undefined) expect(errors.map((item) => item.code)).toContain(code);
  return body;
}

const pick = ({ code, message }: Row): Row => ({ code, message });
