import { notingAge } from '../../api/http/answer-age.ts';
import { unreadableEntries, unreadablePathsIn } from '../../api/http/unreadable-paths.ts';
import { listBundles } from '../../contract/bundles.ts';
import { getCourseStructure, listCourses } from '../../contract/courses.ts';
import { listDigitalProducts } from '../../contract/digital-products.ts';
import { listCompletedStudents } from '../../contract/students.ts';
import { asOf } from '../../insights/period.ts';
import { cleanText, cutAt } from '../../shared/clean-text.ts';
import { dayMs, hourMs } from '../../shared/durations.ts';
import { readChannels } from '../../workflows/community/channel-posts.ts';
import { findChannels } from '../../workflows/community/find-channels.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { emailCells, insertRows, type Row, rowOf } from '../rows/rows.ts';
import { type Covered, failureToStore, lackedBy, writeSync } from './fill-state.ts';
import { createSchedule, type FillContext, type Filling } from './filling.ts';

// The lists that are read part by part, each part whole: all courses, or the lessons of one, or the posts of a channel.

/** What one reading of a part shows. */
interface Shown {
  /** By table. */
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  /** Why it does not prove that these are all. */
  readonly problem?: string | undefined;
}

interface Parts {
  /** The values of `by`; a list without `by` has the part null. */
  readonly parts: readonly Cell[];
  /** Why there may be more. */
  readonly problems: readonly string[];
}

interface List {
  /** The tables that it fills. */
  readonly tables: readonly string[];
  readonly intervalMs: number;
  /** All is read so often, and what is new in between. Default: all is read each time. */
  readonly wholeMs?: number;
  /** The column that names the part of a row. */
  readonly by?: string;
  readonly parts?: (context: FillContext) => Promise<Parts>;
  /** What a failure is about. */
  readonly label: (part: Cell) => string;
  /** Reads one part, only what is new since this moment if there is one. */
  read(context: FillContext, part: Cell, since: number | undefined): Promise<Shown>;
  /** The column that identifies a row. Default: `id`. */
  readonly key?: string;
  /** The rows of the table that a list without parts covers. Default: all. */
  readonly covers?: string;
  /** What removes a row. Default: DELETE. */
  readonly remove?: string;
  /** What else follows from the rows of the table. */
  readonly more?: readonly Statement[];
}

/** One reading of all parts. */
interface Pass {
  readonly startedAt: Date;
  readonly end: ReturnType<ReturnType<typeof createSchedule>['begin']>;
  readonly left: Cell[];
  /** It reads all records, not only new ones. */
  readonly isWhole: boolean;
  readonly problems: string[];
  /** The age of the oldest answer. Milliseconds. */
  ageMs: number;
}

const readAt = ({ startedAt, ageMs }: Pass) => new Date(startedAt.getTime() - ageMs);

/**
 * The keys of stored rows, for each of `covered`, that two readings lack, one after the other. The second takes place only if the
 * first lacks some. `read`: the keys that it shows, for each of `covered`; undefined if it is no proof.
 */
async function goneFrom(
  covered: readonly Covered[],
  read: () => Promise<readonly (readonly Cell[])[] | undefined>,
  { store }: FillContext,
): Promise<Cell[][]> {
  async function readLacked(): Promise<Cell[][]> {
    const shown = await read();
    if (shown === undefined) return [];
    return await Promise.all(covered.map((one, index) => lackedBy(shown[index] ?? [], one, store)));
  }
  const first = await readLacked();
  if (first.every((keys) => keys.length === 0)) return [];
  const second = await readLacked();
  return first.map((keys, index) => keys.filter((key) => second[index]?.includes(key)));
}

/** Fills tables part by part, again after an interval. The API may refuse a part. */
function createList(list: List): Filling {
  const { tables, intervalMs, wholeMs = 0, by, key = 'id', more = [] } = list;
  const { isDue, begin, invalidate } = createSchedule();
  let pass: Pass | undefined;
  /** The last pass that read all. What it could not read, a pass that reads only what is new does not solve. */
  let whole: Pass | undefined;
  let isWholeDue = true;

  function remove(covered: readonly Covered[], keys: readonly Cell[][]): Statement[] {
    return covered.map(({ table, key: name, covers: { sql, values = [] } }, index) => ({
      sql: `${list.remove ?? `DELETE FROM ${table}`} WHERE (${sql}) AND ${name} IN (SELECT value FROM json_each(?))`,
      values: [...values, JSON.stringify(keys[index] ?? [])],
    }));
  }

  async function beginPass(context: FillContext): Promise<Pass> {
    const [startedAt, end] = [context.now(), begin()];
    const age = startedAt.getTime() - (whole?.startedAt.getTime() ?? Number.NEGATIVE_INFINITY);
    const isWhole = isWholeDue || age >= wholeMs;
    let found: Parts = { parts: [null], problems: [] };
    const covered = by === undefined ? [] : tables.map((table) => ({ table, key: by, covers: { sql: 'true' } }));
    async function readParts() {
      found = (await list.parts?.(context)) ?? found;
      return found.problems.length > 0 ? undefined : tables.map(() => found.parts);
    }
    await context.store.write(remove(covered, await goneFrom(covered, readParts, context)));
    isWholeDue = false;
    return { startedAt, end, left: [...found.parts], isWhole, problems: [...found.problems], ageMs: 0 };
  }

  async function readPart(part: Cell, current: Pass, context: FillContext): Promise<void> {
    const { isWhole, startedAt, problems } = current;
    const api = notingAge(context.api, (ageMs) => {
      current.ageMs = Math.max(current.ageMs, ageMs);
    });
    const since = isWhole ? undefined : startedAt.getTime() - dayMs - intervalMs;
    const covers = by === undefined ? { sql: list.covers ?? 'true' } : { sql: `${by} = ?`, values: [part] };
    const covered = isWhole ? tables.map((table) => ({ table, key, covers })) : [];
    async function readRows() {
      const { rows, problem } = await list.read({ ...context, api }, part, since);
      await context.store.write(tables.flatMap((table) => insertRows(table, rows[table] ?? [])));
      if (problem === undefined) return tables.map((table) => (rows[table] ?? []).map((row) => row[key] ?? null));
      problems.push(problem);
      return undefined;
    }
    const gone = await goneFrom(covered, readRows, context);
    await context.store.write([...remove(covered, gone), ...more]);
  }

  async function finish(done: Pass, context: FillContext): Promise<void> {
    const { isWhole, problems, end } = done;
    const [problem] = [...problems, ...(isWhole ? [] : (whole?.problems ?? []))];
    const state = {
      complete: problem === undefined,
      newUpTo: readAt(done),
      changesAsOf: readAt(isWhole ? done : (whole ?? done)),
      comparedAt: context.now(),
      problem,
    };
    await context.store.write(tables.map((name) => writeSync({ name, ...state })));
    end(context, intervalMs);
  }

  return {
    step: async (context) => {
      if (pass === undefined && !isDue(context)) return false;
      pass ??= await beginPass(context);
      const [part] = pass.left;
      if (part !== undefined) {
        await readPart(part, pass, context).catch((error: unknown) => {
          const problem = failureToStore(error, list.label(part));
          if (problem === undefined) throw error;
          pass?.problems.push(problem);
        });
      }
      pass.left.shift();
      if (pass.left.length > 0) return true;
      await finish(pass, context);
      if (pass.isWhole) whole = pass;
      pass = undefined;
      return true;
    },
    invalidate,
    prepare: async () => {
      invalidate();
      isWholeDue = true;
    },
  };
}

/** One list after the other, as one filling. */
const joined = (fillings: readonly Filling[]): Filling => ({
  step: async (context) => {
    for (const filling of fillings) if (await filling.step(context)) return true;
    return false;
  },
  invalidate: () => {
    for (const filling of fillings) filling.invalidate();
  },
  prepare: async (context, since) => {
    for (const filling of fillings) await filling.prepare(context, since);
  },
});

/** A list that the API sends whole, in one request. */
function createWholeList<Item>(
  table: string,
  ask: (context: FillContext) => Promise<{ readonly items: readonly Item[] }>,
  row: (item: Item, context: FillContext) => Row,
  others: Pick<List, 'key' | 'covers' | 'remove' | 'more'> = {},
): Filling {
  return createList({
    ...others,
    tables: [table],
    intervalMs: hourMs,
    label: () => `the list of ${table}`,
    read: async (context) => {
      const answer = await ask(context);
      const rows = answer.items.map((item) => row(item, context));
      // A record is known by its key.
      const known = rows.filter((one) => (one[others.key ?? 'id'] ?? null) !== null);
      const lost = unreadableEntries(answer) + rows.length - known.length;
      return { rows: { [table]: known }, problem: lost > 0 ? `${lost} records could not be read` : undefined };
    },
  });
}

/** A product that no list shows stays while an order names it. */
const forgetProducts: Statement = {
  sql: `DELETE FROM products WHERE is_listed = 0 AND NOT EXISTS (SELECT 1 FROM order_items AS item
    WHERE item.kind = products.kind AND item.product_id = products.product_id)`,
};

/** Courses and bundles are products, too. */
function listedProducts(kind: string, table: string, price: string): Statement[] {
  const unlisted = `UPDATE products SET is_listed = 0 WHERE kind = '${kind}' AND product_id NOT IN (SELECT id FROM ${table})`;
  const listed = `INSERT OR REPLACE INTO products (kind, product_id, title, price, is_listed)
    SELECT '${kind}', id, title, ${price}, 1 FROM ${table}`;
  return [{ sql: unlisted }, { sql: listed }, forgetProducts];
}

export function createCatalogFilling(): Filling {
  const product = { kind: 'digital_product', is_listed: 1 };
  return joined([
    createWholeList('courses', ({ api }) => api.call(listCourses, {}), rowOf, {
      more: listedProducts('course', 'courses', 'price'),
    }),
    createWholeList('bundles', ({ api }) => api.call(listBundles, {}), rowOf, {
      more: listedProducts('bundle', 'bundles', 'NULL'),
    }),
    createWholeList(
      'products',
      ({ api }) => api.call(listDigitalProducts, {}),
      ({ id, title, price }) => rowOf({ product_id: id, title, price, ...product }),
      {
        key: 'product_id',
        covers: "kind = 'digital_product' AND is_listed = 1",
        remove: 'UPDATE products SET is_listed = 0',
        more: [forgetProducts],
      },
    ),
  ]);
}

export const createCompletionFilling = () =>
  createWholeList(
    'completions',
    ({ api }) => api.call(listCompletedStudents, {}),
    ({ id, email, total_completion, completion_percent }, { now }) => {
      const percent = total_completion ?? completion_percent ?? 100;
      return { ...rowOf({ student_id: id, percent, read_at: asOf(now()) }), ...emailCells(email) };
    },
    { key: 'email_key', covers: 'course_id IS NULL' },
  );

const hasId = ({ id }: Row) => typeof id === 'number';

/** Fills `modules` and `lessons`, one request per published course, once a day. */
export const createStructureFilling = () =>
  createList({
    tables: ['modules', 'lessons'],
    intervalMs: dayMs,
    by: 'course_id',
    parts: async ({ api }) => {
      const courses = await api.call(listCourses, {});
      const known = courses.items.flatMap(({ id }) => id ?? []);
      const isWhole = unreadableEntries(courses) === 0 && known.length === courses.items.length;
      return { parts: known, problems: isWhole ? [] : ['courses could not be read'] };
    },
    label: (course) => `course ${course}`,
    read: async ({ api }, part) => {
      const course_id = Number(part);
      const structure = await api.call(getCourseStructure, { course_id });
      const { modules = [], ungrouped_lessons = [] } = structure;
      const lessons = [...modules, { id: undefined, lessons: ungrouped_lessons }].flatMap((module) =>
        (module.lessons ?? []).map((lesson) => rowOf({ ...lesson, course_id, module_id: module.id })),
      );
      const rows = { modules: modules.map((module) => rowOf({ ...module, course_id })), lessons };
      const isWhole = unreadablePathsIn(structure).length === 0;
      return {
        rows: { modules: rows.modules.filter(hasId), lessons: rows.lessons.filter(hasId) },
        problem: isWhole ? undefined : `course ${course_id}: parts of it could not be read`,
      };
    },
  });

/** Characters of a post. A statement reads at most 30,000 bytes of one value. */
const maxContent = 5_000;

/** Fills `posts`, channel by channel. All of them once a day, which finds changed and deleted ones. */
export const createPostFilling = () =>
  createList({
    tables: ['posts'],
    intervalMs: hourMs,
    wholeMs: dayMs,
    by: 'channel',
    parts: async (context) => {
      const { channels, isCut, nameless } = await findChannels(undefined, context);
      const cut = isCut ? ['there may be more channels than the API lists'] : [];
      return {
        parts: channels,
        problems: [...cut, ...(nameless > 0 ? [`${nameless} channels have neither id nor slug`] : [])],
      };
    },
    label: (channel) => `the posts of ${channel}`,
    read: async ({ api, calendar }, part, since) => {
      const channel = String(part);
      const terms = { left: () => Number.POSITIVE_INFINITY, progress: () => {} };
      const question = { channels: [channel], period: { from: since }, isNamed: false };
      const { posts, refused, stopped, problem, whole } = await readChannels(api, question, terms);
      const rows = posts.map(({ record: { id, topic, author, created_at, content } }) => ({
        ...rowOf({ id, topic_id: topic?.id, topic: topic?.title, author: author?.name, author_slug: author?.slug }),
        ...calendar(created_at),
        channel,
        content: content === undefined ? null : cutAt(cleanText(content), maxContent),
      }));
      const unread = `the posts of ${channel} could not be read`;
      const isRefused = refused.length > 0 ? unread : undefined;
      const isPart = since === undefined && !whole.includes(channel) ? unread : undefined;
      return { rows: { posts: rows.filter(hasId) }, problem: stopped ?? isRefused ?? problem ?? isPart };
    },
  });
