import { notingAge } from '../../api/http/answer-age.ts';
import { asOf } from '../../insights/period.ts';
import { minuteMs } from '../../shared/durations.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { insertRows, type Row } from '../rows/rows.ts';
import { type FillContext, type Filling, failureToStore, readState, writeState } from './filling.ts';

// How every list but the orders is read: part by part, again and again. A row goes if two whole passes in a row lack it.

/** What one part shows. */
export interface Shown {
  /** By table. A row without its key is lost. */
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  /** Why it does not prove that these are all. */
  readonly problem?: string | undefined;
  /** The part that follows: the next pages. */
  readonly next?: Cell;
  /** Records of the whole list, as the API counts; null if it should, but does not. */
  readonly total?: number | null;
}

export interface List {
  /** The tables that it fills. The first one is the list's name. */
  readonly tables: readonly [string, ...string[]];
  readonly intervalMs: number;
  /** Its parts, such as channels, and why there may be more. Default: one part, null, which others may follow. */
  readonly parts?: (context: FillContext) => Promise<{ readonly parts: readonly Cell[]; readonly problems: string[] }>;
  read(context: FillContext, part: Cell): Promise<Shown>;
  /** The number of records, in one request. */
  readonly count?: (context: FillContext) => Promise<number | undefined>;
  /** The column that identifies a row, by table. Default: `id`. */
  readonly keys?: Readonly<Record<string, string>>;
  /** What else follows from the rows. */
  readonly more?: readonly Statement[];
}

/** One reading of all parts. */
interface Pass {
  readonly startedAt: number;
  readonly left: readonly Cell[];
  readonly problems: readonly string[];
  /** The age of the oldest answer. Milliseconds. */
  readonly ageMs: number;
  /** Rows that were there when it began; absent if no pass came to its end before. */
  readonly known?: number | undefined;
  readonly total?: number | null | undefined;
}

/** When the first part of the last pass was read. */
export const readFromKey = (list: string) => `${list}_read_from`;

/** How often the number of records is compared with the API, and the pause after a pass that did not fit it. Milliseconds. */
const compareMs = 10 * minuteMs;
const retryMs = 10 * minuteMs;

/** Why a pass does not prove that it has shown every record; undefined if it does. */
function doubtOf({ problems, known, total }: Pass, name: string, seen: number, stored: number): string | undefined {
  if (problems.length > 0) return problems[0];
  if (typeof total === 'number' && seen !== total)
    return `the API counts ${total} ${name} and its pages showed ${seen}`;
  // Without a total, only a second pass with the same records proves that these are all.
  const isDoubted = total === null && !(seen === known && seen === stored);
  return isDoubted ? 'the API gives no total, so the list is read a second time' : undefined;
}

/** What is known of a table. It is complete without a problem. What is known of orders: `syncOrders`. */
function writeSync(name: string, total: Cell, readFrom: Date, comparedAt: Date | null, problem: Cell): Statement {
  return {
    sql: `INSERT OR REPLACE INTO sync (name, complete, total, new_up_to, changes_as_of, compared_at, problem)
      VALUES (?1, ?5 IS NULL, ?2, ?3, ?3, ?4, ?5)`,
    values: [name, total, asOf(readFrom), comparedAt && asOf(comparedAt), problem],
  };
}

/** Fills tables part by part, again after an interval. The API may refuse a part. */
export function createList(list: List): Filling {
  const { tables, intervalMs, keys = {}, more = [] } = list;
  const [name] = tables;
  let pass: Pass | undefined;
  /** When the next pass begins, and whether something has changed since this one did. */
  let dueAt = Number.NEGATIVE_INFINITY;
  let hasChanged = false;
  /** Not before the first pass. */
  let comparedAt = Number.POSITIVE_INFINITY;

  const keyOf = (table: string) => keys[table] ?? 'id';
  const ofList = `name IN (${tables.map((table) => `'${table}'`).join(', ')})`;

  /** The rows that were shown at this time or later. */
  async function countSeen({ store }: FillContext, since = 0): Promise<number> {
    const [[count] = []] = await store.read(`SELECT count(*) FROM fill_seen WHERE ${ofList} AND seen_ms >= ?`, [since]);
    return Number(count);
  }

  /** What could not be read counts as seen: nothing proves that it is gone. */
  function keep(at: number, rows = ofList, values: readonly Cell[] = []): Statement {
    return { sql: `UPDATE fill_seen SET seen_ms = ? WHERE ${rows}`, values: [at, ...values] };
  }

  /** What neither this pass nor the one before it has shown. */
  function remove(table: string, before: number): Statement[] {
    const gone = 'name = ? AND seen_ms < ?';
    return [
      `DELETE FROM ${table} WHERE ${keyOf(table)} IN (SELECT key FROM fill_seen WHERE ${gone})`,
      `DELETE FROM fill_seen WHERE ${gone}`,
    ].map((sql) => ({ sql, values: [table, before] }));
  }

  async function beginPass(context: FillContext): Promise<Pass> {
    const { store, now } = context;
    hasChanged = false;
    const startedAt = now().getTime();
    const { parts, problems } = (await list.parts?.(context)) ?? { parts: [null], problems: [] };
    if (problems.length > 0) await store.write([keep(startedAt)]);
    const isFirst = (await readState(store, readFromKey(name))) === undefined;
    return { startedAt, left: parts, problems, ageMs: 0, known: isFirst ? undefined : await countSeen(context) };
  }

  async function readPart(part: Cell, from: Pass, context: FillContext): Promise<Pass> {
    const { store, now } = context;
    let { ageMs } = from;
    const api = notingAge(context.api, (age) => {
      ageMs = Math.max(ageMs, age);
    });
    const shown = await list.read({ ...context, api }, part).catch((error: unknown): Shown => {
      const problem = failureToStore(error, part === null ? `the list of ${name}` : `${name} (${part})`);
      // A later page is asked for again.
      if (problem === undefined || (part !== null && list.parts === undefined)) throw error;
      return { rows: {}, problem };
    });
    const { next, total = from.total } = shown;
    const at = now().getTime();
    const place = list.parts === undefined ? null : part;
    let lost = 0;
    const stored = Object.entries(shown.rows).flatMap(([table, rows]) => {
      const key = keyOf(table);
      const known = rows.filter((row) => (row[key] ?? null) !== null);
      lost += rows.length - known.length;
      const seen = known.map((row) => ({ name: table, key: row[key] ?? null, part: place, seen_ms: at }));
      return [...insertRows(table, known), ...(tables.includes(table) ? insertRows('fill_seen', seen) : [])];
    });
    const problem = shown.problem ?? (lost > 0 ? `${lost} records could not be read` : undefined);
    const left = [...from.left.slice(1), ...(next === undefined ? [] : [next])];
    const problems = problem === undefined ? from.problems : [...from.problems, problem];
    const kept = problem === undefined ? [] : [keep(at, `${ofList} AND part IS ?`, [place])];
    // While the first pass runs, the state says how far it is.
    const isCounted = from.known === undefined && typeof total === 'number';
    const progress = isCounted ? [writeSync(name, total, now(), null, 'not everything was read yet')] : [];
    await store.write([...stored, ...kept, ...progress]);
    return { ...from, left, problems, ageMs, total };
  }

  async function finish(done: Pass, context: FillContext): Promise<void> {
    const { store, now } = context;
    const { startedAt, ageMs, total, problems } = done;
    const readFrom = startedAt - ageMs;
    const seen = await countSeen(context, startedAt);
    const doubt = doubtOf(done, name, seen, await countSeen(context));
    const isCounted = typeof total !== 'number' || seen === total;
    const before = Number((await readState(store, readFromKey(name))) ?? 0);
    const gone = isCounted ? tables.flatMap((table) => remove(table, before)) : [keep(startedAt)];
    await store.write([...gone, ...more, writeState(readFromKey(name), readFrom)]);
    const lacked = (await countSeen(context)) - (await countSeen(context, startedAt));
    const problem = doubt ?? (lacked > 0 ? `not in the last list, which is read again: ${lacked}` : undefined);
    comparedAt = now().getTime();
    const state = [total ?? null, new Date(readFrom), new Date(comparedAt), problem ?? null] as const;
    await store.write(tables.map((table) => writeSync(table, ...state)));
    // A second pass proves what is gone, and without a total, what is there. Not one that a cache on the way answers.
    const isAgain = problem !== undefined && problems.length === 0;
    const pauseMs = isAgain ? (isCounted && ageMs === 0 ? 0 : retryMs) : intervalMs;
    dueAt = comparedAt + (hasChanged ? 0 : pauseMs);
  }

  /** Whether the API still counts as many as there are. */
  async function compare(context: FillContext): Promise<void> {
    comparedAt = context.now().getTime();
    const total = await list.count?.(context);
    if (total === undefined) return;
    const sql = `UPDATE sync SET compared_at = ?2, total = ?3, complete = complete AND stored = ?3, problem = CASE WHEN stored = ?3 THEN problem
      ELSE 'the academy counts ' || ?3 || ' ${name}, the copy has ' || stored || '; reading all again' END
      FROM (SELECT count(*) AS stored FROM ${name}) WHERE name = ?1`;
    await context.store.write([{ sql, values: [name, asOf(context.now()), total] }]);
    if ((await countSeen(context)) !== total) dueAt = comparedAt;
  }

  const invalidate = () => {
    hasChanged = true;
    dueAt = Number.NEGATIVE_INFINITY;
  };

  return {
    step: async (context) => {
      const now = context.now().getTime();
      const isCompared = list.count !== undefined && now - comparedAt >= compareMs;
      if (pass === undefined && now < dueAt) {
        if (isCompared) await compare(context);
        return isCompared;
      }
      pass ??= await beginPass(context);
      const [part] = pass.left;
      if (part !== undefined) pass = await readPart(part, pass, context);
      if (pass.left.length > 0) return true;
      await finish(pass, context);
      pass = undefined;
      return true;
    },
    invalidate,
    prepare: async () => invalidate(),
  };
}
