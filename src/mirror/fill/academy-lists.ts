import { unreadableEntries, unreadablePathsIn } from '../../api/http/unreadable-paths.ts';
import { listBundles } from '../../contract/bundles.ts';
import { getCourseStructure, listCourses } from '../../contract/courses.ts';
import { listDigitalProducts } from '../../contract/digital-products.ts';
import { listCompletedStudents, listStudents } from '../../contract/students.ts';
import { asOf } from '../../insights/period.ts';
import { cleanText, cutAt } from '../../shared/clean-text.ts';
import { dayMs, hourMs } from '../../shared/durations.ts';
import { readChannels } from '../../workflows/community/channel-posts.ts';
import { findChannels } from '../../workflows/community/read-digest.ts';
import type { Cell } from '../engine/messages.ts';
import { emailCells, rowOf } from '../rows/rows.ts';
import type { FillContext } from './filling.ts';
import { createList, type Shown } from './lists.ts';

// What each list reads, and how its records become rows.

const problemOf = (lost: number, what: string) => (lost > 0 ? `${lost} ${what} could not be read` : undefined);

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

export const createCatalogFilling = () =>
  createList({
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
      const problem = problemOf(unreadableEntries(answer), table);
      return { rows: { [table]: table === 'products' ? digital : rows }, problem };
    },
    keys: { products: 'product_id' },
    only: { products: "kind = 'digital_product' AND is_listed = 1" },
    more: otherProducts.map((sql) => ({ sql })),
  });

export const createCompletionFilling = () =>
  createList({
    tables: ['completions'],
    intervalMs: hourMs,
    read: async ({ api, now }) => {
      const answer = await api.call(listCompletedStudents, {});
      const rows = answer.items.map(({ id, email, total_completion, completion_percent }) => {
        const percent = total_completion ?? completion_percent ?? 100;
        return { ...rowOf({ student_id: id, percent, read_at: asOf(now()) }), ...emailCells(email) };
      });
      return { rows: { completions: rows }, problem: problemOf(unreadableEntries(answer), 'records') };
    },
    keys: { completions: 'email_key' },
  });

/** One page. Students who joined meanwhile are on the first one: it is read again at the end, as page 0. */
async function readStudents({ api, calendar }: FillContext, part: Cell): Promise<Shown> {
  const page = Number(part ?? 1);
  const answer = await api.call(listStudents, { page: Math.max(1, page) });
  const { items, meta } = answer;
  const isLast = items.length === 0 || page >= (meta?.total_pages ?? Number.POSITIVE_INFINITY);
  return {
    rows: {
      students: items.map((student) => ({
        ...rowOf(student),
        ...emailCells(student.email),
        ...calendar(student.created_at),
      })),
    },
    problem: problemOf(unreadableEntries(answer), 'students'),
    total: meta?.total_students ?? null,
    ...(page === 0 || (isLast && page === 1) ? {} : { next: isLast ? 0 : page + 1 }),
  };
}

export const createStudentFilling = () =>
  createList({
    tables: ['students'],
    intervalMs: hourMs,
    read: readStudents,
    count: async ({ api }) => (await api.call(listStudents, { page: 1 })).meta?.total_students,
  });

/** Fills `modules` and `lessons`, one request per published course, once a day. */
export const createStructureFilling = () =>
  createList({
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
  });

/** Characters of a post. A statement reads at most 30,000 bytes of one value. */
const maxContent = 5_000;

/** Fills `posts`, channel by channel. */
export const createPostFilling = () =>
  createList({
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
  });
