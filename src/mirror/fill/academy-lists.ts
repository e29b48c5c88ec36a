import { notingAge, unreadableEntries, unreadablePathsIn } from '../../api/http/answer-facts.ts';
import { listBundles } from '../../contract/bundles.ts';
import { getCourseStructure, listCourses } from '../../contract/courses.ts';
import { listDigitalProducts } from '../../contract/digital-products.ts';
import { listCompletedStudents, listStudents } from '../../contract/students.ts';
import { asOf } from '../../insights/period.ts';
import { cleanText, cutAt } from '../../shared/clean-text.ts';
import { dayMs, hourMs, minuteMs } from '../../shared/durations.ts';
import { createTurns } from '../../shared/turns.ts';
import { readChannels } from '../../workflows/community/channel-posts.ts';
import { findChannels } from '../../workflows/community/read-digest.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { emailCells, insertRows, type Row, rowOf } from '../rows/rows.ts';
import { type FillContext, type Filling, failureToStore } from './filling.ts';
import { noTotal } from './order-windows.ts';

// How every list but the orders is read: part by part, again and again. A row goes if two whole passes in a row lack it.

/** What one part shows. */
interface Shown {
  /** By table of the list. A row without its key is lost. */
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  /** Why it does not prove that these are all. */
  readonly problem?: string | undefined;
  /** The part that follows: the next page. */
  readonly next?: Cell;
  /** Records of the whole list, as the API counts. */
  readonly total?: number | undefined;
}

interface List {
  /** The tables that it fills. The first one is the list's name. */
  readonly tables: readonly [string, ...string[]];
  readonly intervalMs: number;
  /** Its parts, such as channels, and why there may be more. Default: one part, null, which others may follow. */
  readonly parts?: (context: FillContext) => Promise<{ readonly parts: readonly Cell[]; readonly problems: string[] }>;
  read(context: FillContext, part: Cell): Promise<Shown>;
  readonly count?: (context: FillContext) => Promise<number | undefined>;
  /** The column that identifies a row, by table. Default: `id`. */
  readonly keys?: Readonly<Record<string, string>>;
  /** What of a table it fills, as a condition in SQL. Default: all of it. */
  readonly only?: Readonly<Record<string, string>>;
  /** What else follows from the rows. */
  readonly more?: readonly Statement[];
}

/** Reading all parts once. */
interface Pass {
  readonly startedAt: number;
  /** The parts that are not read yet. */
  readonly left: Cell[];
  readonly problems: string[];
  /** The age of the oldest answer. Milliseconds. */
  ageMs: number;
  total?: number | undefined;
  /** Table and key of each row. */
  readonly shown: Set<string>;
}

/** How often the number of records is compared with the API, and the pause after a pass that did not fit it. Milliseconds. */
const compareMs = 10 * minuteMs;

/** What is known of a table. It is complete without a problem. What is known of orders: `syncOrders`. */
const sync = `INTO sync (name, complete, total, new_up_to, changes_as_of, compared_at, problem)
  VALUES (?1, ?5 IS NULL, ?2, ?3, ?3, ?4, ?5)`;

/** Fills tables part by part, again after an interval. The API may refuse a part. */
function createList(list: List): Filling {
  const { tables, intervalMs, keys = {}, only = {}, more = [] } = list;
  const [name] = tables;
  let pass: Pass | undefined;
  /** What the pass before it has shown, if that was the whole list. */
  let last: ReadonlySet<string> | undefined;
  /** When the next pass begins, and whether something has changed since this one did. */
  let dueAt = Number.NEGATIVE_INFINITY;
  let hasChanged = false;
  /** Not before the first pass. */
  let comparedAt = Number.POSITIVE_INFINITY;

  const keyOf = (table: string) => keys[table] ?? 'id';
  /** The rows that a pass has not shown: their table and their key. */
  const lacked = tables
    .map((table) => {
      const isLacked = `'${table} ' || ${keyOf(table)} NOT IN (SELECT value FROM json_each(?1))`;
      return `SELECT '${table}', ${keyOf(table)} FROM ${table} WHERE ${only[table] ?? 'true'} AND ${isLacked}`;
    })
    .join(' UNION ALL ');

  async function beginPass(context: FillContext): Promise<Pass> {
    hasChanged = false;
    const startedAt = context.now().getTime();
    const { parts, problems } = (await list.parts?.(context)) ?? { parts: [null], problems: [] };
    return { startedAt, left: [...parts], problems, ageMs: 0, shown: new Set() };
  }

  async function readPart(part: Cell, current: Pass, context: FillContext): Promise<void> {
    const { store, now } = context;
    const { left, problems, shown } = current;
    const aging = notingAge(context.api);
    const found = await list.read({ ...context, api: aging.api }, part).catch((error: unknown): Shown => {
      const problem = failureToStore(error, part === null ? `the list of ${name}` : `${name} (${part})`);
      // A later page is asked for again.
      if (problem === undefined || (part !== null && list.parts === undefined)) throw error;
      return { rows: {}, problem };
    });
    current.ageMs = Math.max(current.ageMs, aging.ageMs());
    const { next, total = current.total } = found;
    let lost = 0;
    const stored = Object.entries(found.rows).flatMap(([table, rows]) => {
      const known = rows.filter((row) => (row[keyOf(table)] ?? null) !== null);
      lost += rows.length - known.length;
      for (const row of known) shown.add(`${table} ${row[keyOf(table)]}`);
      return insertRows(table, known);
    });
    // While the very first pass runs, the state says how far it is.
    const values = [name, total ?? null, asOf(now()), null, 'not everything was read yet'];
    const progress = total === undefined ? [] : [{ sql: `INSERT OR IGNORE ${sync}`, values }];
    await store.write([...stored, ...progress]);
    const problem = found.problem ?? lostText(lost, 'records');
    if (problem !== undefined) problems.push(problem);
    current.total = total;
    left.shift();
    if (next !== undefined) left.push(next);
  }

  async function finish({ startedAt, ageMs, total, problems, shown }: Pass, context: FillContext): Promise<void> {
    const { store, now } = context;
    const differs = total !== undefined && shown.size !== total;
    /** Why it does not prove that it has shown every record; undefined if it does. */
    const doubt =
      problems[0] ?? (differs ? `the API counts ${total} ${name} and its pages showed ${shown.size}` : undefined);
    const rows = await store.read(lacked, [JSON.stringify([...shown])]);
    // A second pass proves what is gone.
    const before = doubt === undefined ? last : undefined;
    const gone = rows.filter(([table, key]) => before?.has(`${table} ${key}`) === false);
    const left = rows.length - gone.length;
    last = doubt === undefined ? shown : undefined;
    comparedAt = now().getTime();
    const problem = doubt ?? (left > 0 ? `not in the last list, which is read again: ${left}` : undefined);
    const values = [total ?? null, asOf(new Date(startedAt - ageMs)), asOf(new Date(comparedAt)), problem ?? null];
    const state = tables.map((table) => ({ sql: `INSERT OR REPLACE ${sync}`, values: [table, ...values] }));
    const remove = gone.map(([table, key = null]) => {
      return { sql: `DELETE FROM ${table} WHERE ${keyOf(String(table))} = ?`, values: [key] };
    });
    await store.write([...remove, ...more, ...state]);
    // At once if rows are lacked, but not if a cache on the way would answer again.
    const againMs = doubt === undefined && ageMs === 0 ? 0 : compareMs;
    const isAgain = problem !== undefined && problems.length === 0;
    dueAt = hasChanged ? comparedAt : comparedAt + (isAgain ? againMs : intervalMs);
  }

  /** Whether the API still counts as many as there are. */
  async function compare(context: FillContext): Promise<void> {
    comparedAt = context.now().getTime();
    const total = await list.count?.(context);
    if (total === undefined) return;
    const [[stored] = []] = await context.store.read(`SELECT count(*) FROM ${name}`);
    const differs = `the academy counts ${total} ${name}, the copy has ${stored}; reading all again`;
    const problem = stored === total ? null : differs;
    const sql = `UPDATE sync SET compared_at = ?2, total = ?3, complete = complete AND ?4 IS NULL, problem = ifnull(?4, problem)
      WHERE name = ?1`;
    await context.store.write([{ sql, values: [name, asOf(context.now()), total, problem] }]);
    if (problem !== null) dueAt = comparedAt;
  }

  const invalidate = () => {
    hasChanged = true;
    dueAt = Number.NEGATIVE_INFINITY;
  };

  return {
    turn: createTurns(),
    step: async (context) => {
      const now = context.now().getTime();
      if (pass === undefined && now < dueAt) {
        const isCompared = list.count !== undefined && now - comparedAt >= compareMs;
        if (isCompared) await compare(context);
        return isCompared;
      }
      pass ??= await beginPass(context);
      const [part] = pass.left;
      if (part !== undefined) await readPart(part, pass, context);
      if (pass.left.length > 0) return true;
      await finish(pass, context);
      pass = undefined;
      return true;
    },
    invalidate,
    prepare: async () => invalidate(),
  };
}

// What each list reads, and how its records become rows.

const lostText = (lost: number, what: string) => (lost > 0 ? `${lost} ${what} could not be read` : undefined);

/** The lists of the catalog that the API sends whole, one request each. */
const wholeLists = [
  ['courses', listCourses],
  ['bundles', listBundles],
  ['products', listDigitalProducts],
] as const;

/** Courses, bundles and what orders name are products, too. */
const otherProducts = [
  "DELETE FROM products WHERE kind <> 'digital_product' OR is_listed = 0",
  "INSERT INTO products (kind, product_id, title, price, is_listed) SELECT 'course', id, title, price, 1 FROM courses",
  "INSERT INTO products (kind, product_id, title, is_listed) SELECT 'bundle', id, title, 1 FROM bundles",
  `INSERT OR IGNORE INTO products (kind, product_id, title, is_listed)
    SELECT kind, product_id, max(title), 0 FROM order_items GROUP BY 1, 2`,
];

const catalog: List = {
  tables: ['products', 'courses', 'bundles'],
  intervalMs: hourMs,
  parts: async () => ({ parts: wholeLists.map(([table]) => table), problems: [] }),
  read: async ({ api }, part) => {
    const [table, operation] = wholeLists.find(([name]) => name === part) ?? wholeLists[0];
    const answer: { readonly items: readonly object[] } = await api.call(operation, {});
    const rows = answer.items.map(rowOf);
    const digital = rows.map(({ id = null, ...row }) => {
      return { ...row, product_id: id, kind: 'digital_product', is_listed: 1 };
    });
    const problem = lostText(unreadableEntries(answer), table);
    return { rows: { [table]: table === 'products' ? digital : rows }, problem };
  },
  keys: { products: 'product_id' },
  only: { products: "kind = 'digital_product' AND is_listed = 1" },
  more: otherProducts.map((sql) => ({ sql })),
};

const completions: List = {
  tables: ['completions'],
  intervalMs: hourMs,
  read: async ({ api, now }) => {
    const answer = await api.call(listCompletedStudents, {});
    const rows = answer.items.map(({ id, email, total_completion, completion_percent }) => {
      const percent = total_completion ?? completion_percent ?? 100;
      return { ...rowOf({ student_id: id, percent, read_at: asOf(now()) }), ...emailCells(email) };
    });
    return { rows: { completions: rows }, problem: lostText(unreadableEntries(answer), 'records') };
  },
  keys: { completions: 'email_key' },
};

/** One page. Students who joined meanwhile are on the first one: it is read again at the end, as page 0. */
async function readStudents({ api, calendar }: FillContext, part: Cell): Promise<Shown> {
  const page = Number(part ?? 1);
  const answer = await api.call(listStudents, { page: Math.max(1, page) });
  const { items, meta } = answer;
  const isLast = items.length === 0 || page >= (meta?.total_pages ?? Number.POSITIVE_INFINITY);
  const rows = items.map((one) => ({ ...rowOf(one), ...emailCells(one.email), ...calendar(one.created_at) }));
  const total = meta?.total_students;
  return {
    rows: { students: rows },
    problem: lostText(unreadableEntries(answer), 'students') ?? (total === undefined ? noTotal : undefined),
    total,
    ...(page === 0 || (isLast && page === 1) ? {} : { next: isLast ? 0 : page + 1 }),
  };
}

const students: List = {
  tables: ['students'],
  intervalMs: hourMs,
  read: readStudents,
  count: async ({ api }) => (await api.call(listStudents, { page: 1 })).meta?.total_students,
};

/** Fills `modules` and `lessons`, one request per published course, once a day. */
const structures: List = {
  tables: ['modules', 'lessons'],
  intervalMs: dayMs,
  parts: async ({ api }) => {
    const courses = await api.call(listCourses, {});
    const known = courses.items.flatMap(({ id }) => id ?? []);
    const isWhole = unreadableEntries(courses) === 0 && known.length === courses.items.length;
    return { parts: known, problems: isWhole ? [] : ['courses could not be read'] };
  },
  read: async ({ api }, part) => {
    const course_id = Number(part);
    const structure = await api.call(getCourseStructure, { course_id });
    const { modules = [], ungrouped_lessons = [] } = structure;
    const lessons = [...modules, { id: undefined, lessons: ungrouped_lessons }].flatMap((module) =>
      (module.lessons ?? []).map((lesson) => rowOf({ ...lesson, course_id, module_id: module.id })),
    );
    const isWhole = unreadablePathsIn(structure).length === 0;
    return {
      rows: { modules: modules.map((module) => rowOf({ ...module, course_id })), lessons },
      problem: isWhole ? undefined : `course ${course_id}: parts of it could not be read`,
    };
  },
};

/** Characters of a post. A statement reads at most 30,000 bytes of one value. */
const maxContent = 5_000;

const posts: List = {
  tables: ['posts'],
  intervalMs: 3 * hourMs,
  parts: async (context) => {
    const { channels, isCut, nameless } = await findChannels(undefined, context);
    const cut = isCut ? ['there may be more channels than the API lists'] : [];
    return {
      parts: channels,
      problems: [...cut, ...(nameless > 0 ? [`${nameless} channels have neither id nor slug`] : [])],
    };
  },
  read: async ({ api, calendar }, part) => {
    const channel = String(part);
    const terms = { left: () => Number.POSITIVE_INFINITY, progress: () => {} };
    const question = { channels: [channel], period: { from: undefined }, isNamed: false };
    const { posts, stopped, problem, whole } = await readChannels(api, question, terms);
    const rows = posts.map(({ record: { id, topic, author, created_at, content } }) => ({
      ...rowOf({ id, topic_id: topic?.id, topic: topic?.title, author: author?.name, author_slug: author?.slug }),
      ...calendar(created_at),
      channel,
      content: content === undefined ? null : cutAt(cleanText(content), maxContent),
    }));
    const unread = whole.includes(channel) ? undefined : `the posts of ${channel} could not be read`;
    return { rows: { posts: rows }, problem: stopped ?? problem ?? unread };
  },
};

export const createListFillings = () => ({
  catalog: createList(catalog),
  students: createList(students),
  completions: createList(completions),
  structures: createList(structures),
  posts: createList(posts),
});
