import { maxConcurrentRequests } from '../../api/concurrency.ts';
import { unreadableEntries } from '../../api/http/unreadable-paths.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { listStudents } from '../../contract/students.ts';
import { hourMs, minuteMs } from '../../shared/durations.ts';
import { insertRows, rowByColumn, withKeys } from '../rows/insert-rows.ts';
import { studentRow } from '../rows/record-rows.ts';
import { restOfStudent } from '../rows/whole-student.ts';
import { readState, writeState, writeSync } from './fill-state.ts';
import type { FillContext, Filling } from './list-filling.ts';

/** After a whole pass, and after one that could not prove that it has all. Milliseconds. */
const intervalMs = hourMs;
const retryMs = 10 * minuteMs;
const list = 'students';
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
  /** The first page was read again at the end, for students who joined meanwhile. */
  readonly isRefreshed: boolean;
}

/** When the first page of the last complete pass was read. */
export const readFromKey = 'students_read_from';

const firstPass = (now: Date): Pass => ({ page: 1, lost: 0, startedAt: now.getTime(), isRefreshed: false });

async function readPass({ store }: FillContext): Promise<Pass | undefined> {
  const text = await readState(store, 'students_pass');
  // Only this program writes it.
  return text === undefined ? undefined : (JSON.parse(text) as Pass);
}

const writePass = (pass: Pass | undefined) => writeState('students_pass', pass && JSON.stringify(pass));

async function countSeen({ store }: FillContext): Promise<number> {
  const [[count = 0] = []] = await store.read('SELECT count(*) FROM fill_seen WHERE list = ?', [list]);
  return Number(count);
}

const insertPlaces = `INSERT OR REPLACE INTO fill_students (id, place, rest)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;

/** Stores what these pages show, from the page `first` on, and that it was seen. */
async function storePages(pages: readonly Page[], first: number, { store, calendar }: FillContext): Promise<void> {
  const all = pages.flatMap(({ items }, page) =>
    items.map((student, index) => ({ student, place: [first + page, index] })),
  );
  const known = all.filter(({ student }) => student.id !== undefined);
  const rows = known.map(({ student }) => studentRow(student, calendar));
  const ids = known.map(({ student: { id = null } }) => id);
  const places = known.map(({ student, place: [page = 0, index = 0] }, at) => {
    return [student.id, page * maxPerPage + index, restOfStudent(student, rowByColumn('students', rows[at] ?? []))];
  });
  const seen = `INSERT OR IGNORE INTO fill_seen (list, id) SELECT ?, value FROM json_each(?)`;
  await store.write([
    ...insertRows('students', rows),
    { sql: insertPlaces, values: [JSON.stringify(places)] },
    withKeys(seen, ids, [list]),
  ]);
}

const nameless = ({ items }: Page) => items.filter(({ id }) => id === undefined).length;

/** Fills `students`, pass after pass. A pass that shows as many as the API counts proves who is gone. */
export function createStudentFilling(now: () => Date): Filling {
  let dueAt = Number.NEGATIVE_INFINITY;
  /** When the list was last said to have changed. */
  let changedAt = Number.NEGATIVE_INFINITY;

  async function finish(pass: Pass, total: number | undefined, context: FillContext): Promise<void> {
    const seen = await countSeen(context);
    if (total !== undefined && seen < total && !pass.isRefreshed) {
      await storePages([await context.api.call(listStudents, { page: 1 })], 1, context);
      return await finish({ ...pass, isRefreshed: true }, total, context);
    }
    const isFewer = total !== undefined && seen < total;
    const problem = isFewer
      ? `the API counts ${total} students and its pages showed ${seen}`
      : pass.lost > 0
        ? `${pass.lost} students could not be read`
        : undefined;
    const complete = problem === undefined && total !== undefined;
    const gone = "DELETE FROM students WHERE id NOT IN (SELECT id FROM fill_seen WHERE list = 'students')";
    const gonePlaces = 'DELETE FROM fill_students WHERE id NOT IN (SELECT id FROM students)';
    await context.store.write([
      ...(complete ? [{ sql: gone }, { sql: gonePlaces }, writeState(readFromKey, String(pass.startedAt))] : []),
      { sql: 'DELETE FROM fill_seen WHERE list = ?', values: [list] },
      writePass(undefined),
      ...writeSync({ name: list, complete, total, asOf: context.now(), problem }),
    ]);
    // What has changed during the pass may be missing.
    const isOutdated = changedAt >= pass.startedAt;
    dueAt = isOutdated ? context.now().getTime() : context.now().getTime() + (complete ? intervalMs : retryMs);
  }

  /** While the first pass runs, the state says how far it is. */
  async function noteProgress(total: number | undefined, context: FillContext): Promise<void> {
    const [[known] = []] = await context.store.read("SELECT complete FROM sync WHERE name = 'students'");
    if (known === 1) return;
    await context.store.write(writeSync({ name: list, complete: false, total, asOf: context.now() }));
  }

  return {
    name: list,
    isDue: async (context) => (await readPass(context)) !== undefined || context.now().getTime() >= dueAt,
    step: async (context) => {
      const pass = (await readPass(context)) ?? firstPass(context.now());
      if (pass.page === 1) await context.store.write([{ sql: 'DELETE FROM fill_seen WHERE list = ?', values: [list] }]);
      // The first page says how many there are: only then are several read at once.
      const count = pass.page === 1 ? 1 : maxConcurrentRequests;
      const numbers = Array.from({ length: count }, (_, index) => pass.page + index);
      const pages = await Promise.all(numbers.map((page) => context.api.call(listStudents, { page })));
      await storePages(pages, pass.page, context);
      const { total_pages: last, total_students: total } = pages.at(-1)?.meta ?? {};
      const lost = pages.reduce((sum, page) => sum + unreadableEntries(page) + nameless(page), pass.lost);
      const next = { ...pass, page: pass.page + count, lost };
      const isEnd = pages.some(({ items }) => items.length === 0) || (last !== undefined && next.page > last);
      if (isEnd) return await finish(next, total, context);
      await context.store.write([writePass(next)]);
      await noteProgress(total, context);
    },
    invalidate: () => {
      dueAt = Number.NEGATIVE_INFINITY;
      changedAt = now().getTime();
    },
  };
}
