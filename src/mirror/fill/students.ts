import { maxConcurrentRequests } from '../../api/concurrency.ts';
import { ageOf } from '../../api/http/answer-age.ts';
import { unreadableEntries } from '../../api/http/unreadable-paths.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { listStudents } from '../../contract/students.ts';
import { asOf } from '../../insights/period.ts';
import { hourMs, minuteMs } from '../../shared/durations.ts';
import { insertRows } from '../rows/rows.ts';
import { studentRow } from '../rows/student-rows.ts';
import type { Store } from '../store.ts';
import { hasMissing, readState, removeMissing, writeState, writeSync } from './fill-state.ts';
import { createSchedule, type FillContext, type Filling } from './filling.ts';

/** After a whole pass, and after one that could not prove that it has all. Milliseconds. */
const intervalMs = hourMs;
const retryMs = 10 * minuteMs;
/** How often the number of students is compared with the API. Milliseconds. */
const compareMs = 10 * minuteMs;
const name = 'students';
/** More than any page has: places stay in the order of the pages. */
const maxPerPage = 1_000;

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
  readonly ageMs?: number;
  /** Students that were stored when it began; undefined if no pass before it came to its end. */
  readonly known: number | undefined;
}

/** When the first page of the last complete pass was read. */
export const readFromKey = 'students_read_from';

const passKey = 'students_pass';

async function readPass({ store }: FillContext): Promise<Pass | undefined> {
  const text = await readState(store, passKey);
  // Only this program writes it.
  return text === undefined ? undefined : (JSON.parse(text) as Pass);
}

async function countStudents(store: Store, seenFrom = Number.MIN_SAFE_INTEGER): Promise<number> {
  const sql = 'SELECT count(*) FROM fill_students WHERE seen_ms >= ?';
  const [[count = 0] = []] = await store.read(sql, [seenFrom]);
  return Number(count);
}

/** Stores what these pages show, from the page `first` on, and that it was seen. */
async function storePages(pages: readonly Page[], first: number, { store, calendar, now }: FillContext): Promise<void> {
  const seen_ms = now().getTime();
  const all = pages.flatMap(({ items }, page) =>
    items.map((student, index) => {
      const { row, rest } = studentRow(student, calendar);
      return { row, place: { id: row.id ?? null, place: (first + page) * maxPerPage + index, rest, seen_ms } };
    }),
  );
  const known = all.filter(({ place }) => place.id !== null);
  const rows = known.map(({ row }) => row);
  const places = known.map(({ place }) => place);
  await store.write([
    ...insertRows(name, rows),
    ...insertRows('fill_students', places, ['id', 'place', 'rest', 'seen_ms']),
  ]);
}

const nameless = ({ items }: Page) => items.filter(({ id }) => id === undefined).length;

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

  async function beginPass({ store, now: clock }: FillContext): Promise<Pass> {
    const hasEnded = (await readState(store, readFromKey)) !== undefined;
    const known = hasEnded ? await countStudents(store) : undefined;
    return { page: 1, lost: 0, startedAt: clock().getTime(), known };
  }

  async function finish(pass: Pass, total: number | undefined, context: FillContext): Promise<void> {
    const { api, store, now: clock } = context;
    const readFrom = pass.startedAt - (pass.ageMs ?? 0);
    // Students who joined meanwhile are on the first page.
    if (total !== undefined && (await countStudents(store, pass.startedAt)) < total) {
      await storePages([await api.call(listStudents, { page: 1 })], 1, context);
    }
    const problem = doubtOf(pass, await countStudents(store, pass.startedAt), total, await countStudents(store));
    const isWhole = problem === undefined || (total === undefined && pass.lost === 0);
    const shown = { sql: 'SELECT id FROM fill_students WHERE seen_ms >= ?', values: [pass.startedAt] };
    comparedAt = clock().getTime();
    await store.write([
      ...(isWhole ? removeMissing({ table: name, key: 'id', shown }, pass.startedAt) : []),
      { sql: 'DELETE FROM fill_students WHERE id NOT IN (SELECT id FROM students)' },
      ...(isWhole ? [writeState(readFromKey, readFrom)] : []),
      writeState(passKey, undefined),
      writeSync({
        name,
        complete: problem === undefined,
        total,
        newUpTo: new Date(readFrom),
        comparedAt: new Date(comparedAt),
        problem,
      }),
    ]);
    // A second pass proves who is gone, and without a total, who is there.
    const isOpen = (await hasMissing(store, { table: name, key: 'id' })) || (isWhole && problem !== undefined);
    end(context, isOpen ? 0 : problem === undefined ? intervalMs : retryMs);
  }

  /** One request: whether the API still counts as many as there are. */
  async function compare({ api, store, now: clock }: FillContext): Promise<void> {
    comparedAt = clock().getTime();
    const { meta: { total_students: total } = {} } = await api.call(listStudents, { page: 1 });
    if (total === undefined) return;
    await store.write([
      {
        sql: `UPDATE sync SET compared_at = ?2, total = ?3, complete = complete AND stored = ?3, problem = CASE WHEN stored = ?3 THEN problem
          ELSE 'the academy counts ' || ?3 || ' students, the copy has ' || stored || '; reading all again' END
          FROM (SELECT count(*) AS stored FROM students) WHERE name = ?1`,
        values: [name, asOf(clock()), total],
      },
    ]);
    const [[stored] = []] = await store.read('SELECT count(*) FROM students');
    if (stored !== total) invalidate();
  }

  const isCompareDue = (context: FillContext) => context.now().getTime() - comparedAt >= compareMs;

  return {
    isDue: async (context) => (await readPass(context)) !== undefined || isDue(context) || isCompareDue(context),
    step: async (context) => {
      const stored = await readPass(context);
      if (stored === undefined && !isDue(context)) return await compare(context);
      if (stored === undefined) end = begin();
      const pass = stored ?? (await beginPass(context));
      // The first page says how many there are: only then are several read at once.
      const count = pass.page === 1 ? 1 : maxConcurrentRequests;
      const numbers = Array.from({ length: count }, (_, index) => pass.page + index);
      const pages = await Promise.all(numbers.map((page) => context.api.call(listStudents, { page })));
      await storePages(pages, pass.page, context);
      const { total_pages: last, total_students: total } = pages.at(-1)?.meta ?? {};
      const lost = pages.reduce((sum, page) => sum + unreadableEntries(page) + nameless(page), pass.lost);
      const ageMs = Math.max(pass.ageMs ?? 0, ...pages.map(ageOf));
      const next = { ...pass, page: pass.page + count, lost, ageMs };
      const isEnd = pages.some(({ items }) => items.length === 0) || (last !== undefined && next.page > last);
      if (isEnd) return await finish(next, total, context);
      const [[known] = []] = await context.store.read('SELECT complete FROM sync WHERE name = ?', [name]);
      // While the first pass runs, the state says how far it is.
      const progress = known === 1 ? [] : [writeSync({ name, complete: false, total, newUpTo: context.now() })];
      await context.store.write([writeState(passKey, JSON.stringify(next)), ...progress]);
    },
    invalidate,
  };
}
