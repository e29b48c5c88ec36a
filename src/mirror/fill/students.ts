import { maxConcurrentRequests } from '../../api/concurrency.ts';
import { ageOf } from '../../api/http/answer-age.ts';
import { unreadableEntries } from '../../api/http/unreadable-paths.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { listStudents } from '../../contract/students.ts';
import { asOf } from '../../insights/period.ts';
import { hourMs, minuteMs } from '../../shared/durations.ts';
import { emailCells, insertRows, rowOf } from '../rows/rows.ts';
import type { Store } from '../store.ts';
import { readState, writeState, writeSync } from './fill-state.ts';
import { createSchedule, type FillContext, type Filling } from './filling.ts';

/** After a whole pass, and after one that could not prove that it has all. Milliseconds. */
const intervalMs = hourMs;
const retryMs = 10 * minuteMs;
/** How often the number of students is compared with the API. Milliseconds. */
const compareMs = 10 * minuteMs;
const name = 'students';
/** More than any page has: places stay in the order of the pages. */
const maxPerPage = 1_000;

/** The fields that answers need. */
const kept = [
  ...['id', 'name', 'email', 'created_at', 'location', 'sign_in_count', 'points', 'completion_percent'],
  ...['enrolled', 'admin', 'is_active'],
];

type Page = ParsedResponse<(typeof listStudents)['response']>;

/** How far a pass over the list has come: kept in the database, so that a restart goes on. */
interface Pass {
  /** The next page. */
  readonly page: number;
  /** Entries that were no records. */
  readonly lost: number;
  /** When the first page was read: our clock, in milliseconds. */
  readonly startedAt: number;
  /** The age of the oldest page. Milliseconds. */
  readonly ageMs: number;
  /** Students that were stored when it began; undefined if no pass before it came to its end. */
  readonly known: number | undefined;
}

/** When the first page of the last whole pass was read. */
export const readFromKey = 'students_read_from';
const passKey = 'students_pass';

async function readPass({ store }: FillContext): Promise<Pass | undefined> {
  const text = await readState(store, passKey);
  // Only this program writes it.
  return text === undefined ? undefined : (JSON.parse(text) as Pass);
}

async function beginPass({ store, now }: FillContext): Promise<Pass> {
  const hasEnded = (await readState(store, readFromKey)) !== undefined;
  return {
    page: 1,
    lost: 0,
    ageMs: 0,
    startedAt: now().getTime(),
    known: hasEnded ? await countStudents(store) : undefined,
  };
}

async function countStudents(store: Store, seenFrom = Number.MIN_SAFE_INTEGER): Promise<number> {
  const [[count = 0] = []] = await store.read('SELECT count(*) FROM fill_students WHERE seen_ms >= ?', [seenFrom]);
  return Number(count);
}

/** Stores what these pages show, from the page `first` on, and that it was seen. Returns how many entries are lost. */
async function storePages(pages: readonly Page[], first: number, { store, calendar, now }: FillContext) {
  const seen_ms = now().getTime();
  const all = pages.flatMap(({ items }, page) =>
    items.map((student, index) => {
      const row = { ...rowOf(student), ...emailCells(student.email), ...calendar(student.created_at) };
      const place = (first + page) * maxPerPage + index;
      return { row, place: { id: student.id ?? null, place, record: JSON.stringify(student, kept), seen_ms } };
    }),
  );
  const known = all.filter(({ place }) => place.id !== null);
  const [rows, places] = [known.map(({ row }) => row), known.map(({ place }) => place)];
  await store.write([
    ...insertRows(name, rows),
    ...insertRows('fill_students', places, ['id', 'place', 'record', 'seen_ms']),
  ]);
  return pages.reduce((sum, page) => sum + unreadableEntries(page), all.length - known.length);
}

/** Why a pass does not prove that it has shown every student; undefined if it does. */
function doubtOf({ lost, known }: Pass, seen: number, total: number | undefined, stored: number): string | undefined {
  if (lost > 0) return `${lost} students could not be read`;
  if (total !== undefined) {
    return seen === total ? undefined : `the API counts ${total} students and its pages showed ${seen}`;
  }
  // Without a total, only a second pass with the same students proves that these are all.
  return seen === known && seen === stored ? undefined : 'the API gives no total, so the list is read a second time';
}

/** Fills `students`, pass after pass, and compares their number with the API in between. */
export function createStudentFilling(now: () => Date): Filling {
  const { isDue, begin, invalidate } = createSchedule();
  let end = begin();
  let comparedAt = now().getTime();

  async function finish(pass: Pass, total: number | undefined, context: FillContext): Promise<void> {
    const { api, store } = context;
    const readFrom = pass.startedAt - pass.ageMs;
    // Students who joined meanwhile are on the first page.
    if (total !== undefined && (await countStudents(store, pass.startedAt)) < total) {
      await storePages([await api.call(listStudents, { page: 1 })], 1, context);
    }
    const seen = await countStudents(store, pass.startedAt);
    const doubt = doubtOf(pass, seen, total, await countStudents(store));
    const isWhole = doubt === undefined || (total === undefined && pass.lost === 0);
    // Whom this whole pass lacks, and the one before it, is gone.
    const before = Number((await readState(store, readFromKey)) ?? Number.MIN_SAFE_INTEGER);
    const isGone = 'id NOT IN (SELECT id FROM fill_students WHERE seen_ms >= ?)';
    const gone = [name, 'fill_students'].map((table) => ({
      sql: `DELETE FROM ${table} WHERE ${isGone}`,
      values: [before],
    }));
    if (isWhole) await store.write([...gone, writeState(readFromKey, readFrom)]);
    const lacked = (await countStudents(store)) - seen;
    const problem = doubt ?? (lacked > 0 ? `not in the last list, which is read again: ${lacked}` : undefined);
    comparedAt = now().getTime();
    const times = { newUpTo: new Date(readFrom), comparedAt: new Date(comparedAt) };
    const sync = writeSync({ name, complete: problem === undefined, total, problem, ...times });
    await store.write([writeState(passKey, undefined), sync]);
    // A second pass proves who is gone, and without a total, who is there.
    end(context, problem === undefined ? intervalMs : isWhole ? 0 : retryMs);
  }

  /** One request: whether the API still counts as many as there are. */
  async function compare({ api, store }: FillContext): Promise<void> {
    comparedAt = now().getTime();
    const { meta: { total_students: total } = {} } = await api.call(listStudents, { page: 1 });
    if (total === undefined) return;
    await store.write([
      {
        sql: `UPDATE sync SET compared_at = ?2, total = ?3, complete = complete AND stored = ?3, problem = CASE WHEN stored = ?3 THEN problem
          ELSE 'the academy counts ' || ?3 || ' students, the copy has ' || stored || '; reading all again' END
          FROM (SELECT count(*) AS stored FROM students) WHERE name = ?1`,
        values: [name, asOf(now()), total],
      },
    ]);
    if ((await countStudents(store)) !== total) invalidate();
  }

  /** The next pages of a pass. The first one says how many there are: only then are several read at once. */
  async function readOn(pass: Pass, context: FillContext): Promise<void> {
    const { api, store } = context;
    const count = pass.page === 1 ? 1 : maxConcurrentRequests;
    const numbers = Array.from({ length: count }, (_, index) => pass.page + index);
    const pages = await Promise.all(numbers.map((page) => api.call(listStudents, { page })));
    const lost = pass.lost + (await storePages(pages, pass.page, context));
    const { total_pages: last, total_students: total } = pages.at(-1)?.meta ?? {};
    const next = { ...pass, page: pass.page + count, lost, ageMs: Math.max(pass.ageMs, ...pages.map(ageOf)) };
    const isEnd = pages.some(({ items }) => items.length === 0) || (last !== undefined && next.page > last);
    if (isEnd) return await finish(next, total, context);
    const [[known] = []] = await store.read('SELECT complete FROM sync WHERE name = ?', [name]);
    // While the first pass runs, the state says how far it is.
    const progress = known === 1 ? [] : [writeSync({ name, complete: false, total, newUpTo: now() })];
    await store.write([writeState(passKey, JSON.stringify(next)), ...progress]);
  }

  return {
    step: async (context) => {
      const pass = await readPass(context);
      if (pass !== undefined) await readOn(pass, context);
      else if (isDue(context)) {
        end = begin();
        await readOn(await beginPass(context), context);
      } else if (now().getTime() - comparedAt >= compareMs) await compare(context);
      else return false;
      return true;
    },
    invalidate,
    prepare: async () => invalidate(),
  };
}
