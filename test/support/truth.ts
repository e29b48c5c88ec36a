import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Academy } from '../../src/sandbox/state/academy.ts';
import { type Row, row, rows, words } from './academy.ts';
import type { Connection, ToolAnswer } from './connect.ts';
import { call } from './sandbox.ts';
import { withWholeRows } from './whole-rows.ts';

/** Answers of the API itself, read over plain HTTP without the program. */
export async function truth(sandbox: Sandbox, path: string): Promise<Row> {
  const { status, body } = await call(sandbox, 'GET', path);
  expect(status, path).toBe(200);
  return row(body);
}

/** Progress of a student in a course, in percent. */
export async function trueCompletion(sandbox: Sandbox, course: number, user_email: string): Promise<number> {
  const path = `/api/v1/courses/${course}/completion-percentage`;
  const { status, body } = await call(sandbox, 'POST', path, { user_email });
  expect(status, path).toBe(200);
  return Number(row(body).course_completion_percent);
}

export async function truths(sandbox: Sandbox, path: string, list: string): Promise<Row[]> {
  return rows((await truth(sandbox, path))[list]);
}

export async function trueDetails(sandbox: Sandbox, email: string): Promise<Row> {
  return await truth(sandbox, `/api/v1/students/details?email=${encodeURIComponent(email)}`);
}

/** The orders of a student under any spelling of the email. */
export async function trueOrders(sandbox: Sandbox, email: string): Promise<Row[]> {
  const all = await truths(sandbox, '/api/v1/orders?status=all', 'orders');
  return all.filter(({ user_email }) => words(user_email).toLowerCase() === email.toLowerCase());
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Texts that the academy writes; others are of members. */
const academyTexts = ['description', 'question'];

/** A record of the API as an answer should show it: no empty values, and free text under the key of its author. */
export function asShown(record: Row, ...texts: string[]): Row {
  const given = Object.entries(record).filter(([, value]) => !isEmpty(value));
  const plain = Object.fromEntries(given.filter(([name]) => !texts.includes(name)));
  const free = given.filter(([name]) => texts.includes(name));
  const academy_text = Object.fromEntries(free.filter(([name]) => academyTexts.includes(name)));
  const untrusted = Object.fromEntries(free.filter(([name]) => !academyTexts.includes(name)));
  return {
    ...plain,
    ...(Object.keys(academy_text).length > 0 ? { academy_text } : {}),
    ...(Object.keys(untrusted).length > 0 ? { untrusted } : {}),
  };
}

export function without(record: Row, ...names: string[]): Row {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** All rows of a list, read to the end by the paging facts of each answer. */
export async function everyRow(
  call: Connection['call'],
  name: string,
  list: string,
  args: Row,
  next: ['next_cursor', 'cursor'] | ['next_page', 'page'],
): Promise<Row[]> {
  const found: Row[] = [];
  let on: Row = {};
  for (;;) {
    const { structured = {}, isError, text } = await call(name, { ...args, ...on });
    expect(isError, text).toBe(false);
    expect(structured.cut).toBeUndefined();
    found.push(...rows(withWholeRows(structured)[list] ?? []));
    const [said, argument] = next;
    if (structured[said] === undefined) return found;
    on = { [argument]: structured[said] };
  }
}

/** Every part of an answer, read on by its cursor with these arguments. */
export async function everyPart(
  call: Connection['call'],
  name: string,
  args: Row,
  next: Row = args,
): Promise<ToolAnswer[]> {
  const parts = [await call(name, args)];
  for (let cursor = parts[0]?.structured?.next_cursor; cursor !== undefined; ) {
    expect(parts.length, 'parts without an end').toBeLessThan(200);
    const part = await call(name, { ...next, cursor });
    expect(part.isError, part.text).toBe(false);
    parts.push(part);
    cursor = part.structured?.next_cursor;
  }
  expect(parts.length, 'an answer in one part').toBeGreaterThan(1);
  return parts;
}

export function ids(records: readonly Row[]): unknown[] {
  return records.map(({ id }) => id);
}

// Posts read directly from the API, not through the program. Nothing here may come from src/insights.

export type RawPost = Awaited<ReturnType<typeof rawPosts>>[number];

async function channelsOf(sandbox: Sandbox): Promise<string[]> {
  return (await truths(sandbox, '/api/v1/community/channels?limit=50', 'channels')).map(({ slug }) => words(slug));
}

/** Every post of a channel over all time, newest first. */
export async function rawPosts(sandbox: Sandbox, channel: string) {
  const found: Row[] = [];
  for (let page = 1; found.length === (page - 1) * 100; page += 1) {
    const path = `/api/v1/community/channels/${channel}/posts?per_page=100&page=${page}`;
    found.push(...(await truths(sandbox, path, 'posts')));
  }
  return found.map(({ id, topic, author, created_at, published_at }) => {
    const at = Date.parse(words(created_at));
    return { channel, id, topic: row(topic).id, author: row(author).slug, at, isPublished: published_at !== null };
  });
}

export async function everyPost(sandbox: Sandbox): Promise<RawPost[]> {
  return (await Promise.all((await channelsOf(sandbox)).map((channel) => rawPosts(sandbox, channel)))).flat();
}

// The records that the academy holds, and what has changed between two moments.

/** The fields of each record by its name. Times of changes are left out. */
type Digest = ReadonlyMap<string, Row>;

export function digest(academy: Academy): Digest {
  const { catalogue, lessons, students, orders, progress, community } = academy;
  const records = new Map<string, Row>();
  const add = (kind: string, rows: readonly { readonly id: number | string }[]) => {
    for (const { id, ...fields } of rows) records.set(`${kind} ${id}`, { ...fields });
  };
  const courses = catalogue.courses.all();
  add('course', courses);
  add('bundle', catalogue.bundles.all());
  add('download', catalogue.digitalProducts.all());
  add('project', catalogue.projects.all());
  add('channel', community.channels.all());
  add(
    'student',
    students.all().map(({ created_at: _, ...student }) => {
      const done = courses.map(({ id }) => progress.completed(student.id, id).length);
      return { ...student, done };
    }),
  );
  const emails = new Map(students.all().map(({ id, email }) => [id, email]));
  add(
    'order',
    orders.all().map(({ updated_at, created_at, student_id, ...order }) => {
      return { ...order, user_email: emails.get(student_id) };
    }),
  );
  // A place counts, not a number: sequences may have gaps.
  for (const { id: course } of courses) {
    const places = new Map<number | null, number>();
    for (const { sequence: _, ...lesson } of lessons.ofCourse(course)) {
      const place = (places.get(lesson.module_id) ?? 0) + 1;
      places.set(lesson.module_id, place);
      records.set(`lesson ${lesson.id}`, { ...lesson, id: undefined, content: lesson.content || null, place });
    }
  }
  return records;
}

/** New records have no number here: two new orders may come in any order. */
export function difference(before: Digest, after: Digest): string[] {
  const lines: string[] = [];
  for (const [name, fields] of after) {
    const old = before.get(name);
    if (old === undefined) lines.push(`new ${name.split(' ')[0]} ${JSON.stringify(fields)}`);
    else if (!isDeepStrictEqual(old, fields)) {
      const changed = Object.entries(fields).filter(([key, value]) => !isDeepStrictEqual(old[key], value));
      lines.push(`${name} ${JSON.stringify(Object.fromEntries(changed))}`);
    }
  }
  return lines.sort();
}
