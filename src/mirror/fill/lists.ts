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
import { failureToStore, hasMissing, keysOf, removeMissing, writeSync } from './fill-state.ts';
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
interface Pass extends Parts {
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

const onePart: Parts = { parts: [null], problems: [] };

/** Fills tables part by part, again after an interval. The API may refuse a part. */
function createList(list: List): Filling {
  const { tables, intervalMs, wholeMs = 0, by, key = 'id', remove, more = [] } = list;
  const { isDue, begin, invalidate } = createSchedule();
  let pass: Pass | undefined;
  /** The last pass that read all. What it could not read, a pass that reads only what is new does not solve. */
  let whole: Pass | undefined;
  let isWholeDue = true;

  const partsOf = async (context: FillContext) => (await list.parts?.(context)) ?? onePart;

  async function beginPass(context: FillContext): Promise<Pass> {
    const startedAt = context.now();
    const end = begin();
    const { parts, problems } = await partsOf(context);
    const age = startedAt.getTime() - (whole?.startedAt.getTime() ?? Number.NEGATIVE_INFINITY);
    const isWhole = isWholeDue || age >= wholeMs;
    isWholeDue = false;
    return { startedAt, end, parts, left: [...parts], isWhole, problems: [...problems], ageMs: 0 };
  }

  /** True if rows that the list has shown before may be gone. */
  async function readOnce(part: Cell, current: Pass, context: FillContext): Promise<boolean> {
    const { isWhole, startedAt, problems } = current;
    const { store, now } = context;
    const note = (ageMs: number) => {
      current.ageMs = Math.max(current.ageMs, ageMs);
    };
    const readAt = now().getTime();
    const since = isWhole ? undefined : startedAt.getTime() - dayMs - intervalMs;
    const { rows, problem } = await list.read({ ...context, api: notingAge(context.api, note) }, part, since);
    if (problem !== undefined) problems.push(problem);
    const covers = by === undefined ? { sql: list.covers ?? 'true' } : { sql: `${by} = ?`, values: [part] };
    const readings = tables.map((table) => {
      return { table, key, covers, shown: keysOf((rows[table] ?? []).map((row) => row[key] ?? null)) };
    });
    const isProof = isWhole && problem === undefined;
    await store.write([
      ...tables.flatMap((table) => insertRows(table, rows[table] ?? [])),
      ...(isProof ? readings.flatMap((reading) => removeMissing(reading, readAt, remove)) : []),
      ...more,
    ]);
    return isProof && (await Promise.all(readings.map((reading) => hasMissing(store, reading)))).includes(true);
  }

  async function readPart(part: Cell, current: Pass, context: FillContext): Promise<void> {
    try {
      // The second reading after the first proves which rows are gone.
      if (await readOnce(part, current, context)) await readOnce(part, current, context);
    } catch (error) {
      const problem = failureToStore(error, list.label(part));
      if (problem === undefined) throw error;
      current.problems.push(problem);
    }
  }

  /** Removes the rows of parts that two lists of the parts lack. */
  async function forgetParts({ parts, isWhole, problems }: Pass, context: FillContext): Promise<Statement[]> {
    if (by === undefined || !isWhole || problems.length > 0) return [];
    const again = await partsOf(context);
    if (again.problems.length > 0) return [];
    const { sql, values = [] } = keysOf([...parts, ...again.parts]);
    return tables.flatMap((table) => [
      { sql: `DELETE FROM ${table} WHERE ${by} NOT IN (${sql})`, values },
      { sql: `DELETE FROM fill_missing WHERE list = ? AND id NOT IN (SELECT id FROM ${table})`, values: [table] },
    ]);
  }

  async function finish(done: Pass, context: FillContext): Promise<void> {
    const gone = await forgetParts(done, context);
    if (done.isWhole) whole = done;
    const [problem] = [...done.problems, ...(whole?.problems ?? [])];
    const state = {
      complete: problem === undefined,
      newUpTo: readAt(done),
      changesAsOf: readAt(whole ?? done),
      comparedAt: context.now(),
      problem,
    };
    await context.store.write([...gone, ...tables.map((name) => writeSync({ name, ...state }))]);
    pass = undefined;
    const lacks = await Promise.all(tables.map((table) => hasMissing(context.store, { table, key })));
    isWholeDue ||= lacks.includes(true);
    done.end(context, intervalMs);
  }

  return {
    isDue: async (context) => pass !== undefined || isDue(context),
    step: async (context) => {
      pass ??= await beginPass(context);
      const [part] = pass.left;
      if (part !== undefined) await readPart(part, pass, context);
      pass.left.shift();
      if (pass.left.length === 0) await finish(pass, context);
    },
    invalidate: (isAsked) => {
      invalidate();
      if (isAsked === true) isWholeDue = true;
    },
  };
}

/** The first filling of these that is due goes first. */
function oneAfterTheOther(fillings: readonly Filling[]): Filling {
  async function first(context: FillContext): Promise<Filling | undefined> {
    for (const filling of fillings) if (await filling.isDue(context)) return filling;
    return undefined;
  }
  return {
    isDue: async (context) => (await first(context)) !== undefined,
    step: async (context) => await (await first(context))?.step(context),
    invalidate: (isAsked) => {
      for (const filling of fillings) filling.invalidate(isAsked);
    },
  };
}

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
    // Also where the rest of the table has the same keys.
    remove: others.remove ?? `DELETE FROM ${table}`,
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
  return oneAfterTheOther([
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
export function createStructureFilling(): Filling {
  const filling = createList({
    tables: ['modules', 'lessons'],
    intervalMs: dayMs,
    by: 'course_id',
    parts: async ({ store }) => {
      const courses = await store.read('SELECT id FROM courses ORDER BY id');
      return { parts: courses.map(([id = null]) => id), problems: [] };
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
  return {
    ...filling,
    // The list of courses comes first.
    isDue: async (context) => {
      const known = await context.store.read("SELECT 1 FROM sync WHERE name = 'courses'");
      return known.length > 0 && (await filling.isDue(context));
    },
  };
}

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
