import { type Call, cut, failure, notFound, ok, type Reply, type Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { classOf, communityReads, lessonReads, reads, records, type Switch } from './switch.ts';

const products = classOf('products', 'products', {
  kind: 'open',
  probes: ['find_buyers/title', 'find_buyers', 'find_buyers/bundle', 'diagnose_access/bundle'],
});

const found = (write: (rows: Json[]) => Json[]): Rules => ({
  after: (reply, { route }) => {
    if (route !== 'products.search' || reply.status !== 200) return reply;
    const rows = write(Object(reply.body).products);
    return ok({ products: rows, count: rows.length });
  },
});

const everything: Json[] = [
  { product_type: 'course', id: 11, title: 'Watercolour Basics', slug: 'watercolour-basics' },
  { product_type: 'course', id: 12, title: 'Sourdough at Home', slug: 'sourdough-at-home' },
  { product_type: 'bundle', id: 31, title: 'Kitchen Bundle', slug: 'kitchen-bundle' },
];

export const productSwitches: readonly Switch[] = [
  products('offers', 'bundles are called offer', {
    ...found((rows) => rows.map((row) => (row.product_type === 'bundle' ? { ...row, product_type: 'offer' } : row))),
  }),
  products('query-ignored', 'the query is ignored', { kind: 'departs', ...found(() => everything) }),
  products('nothing', 'nothing is found', { kind: 'departs', ...found(() => []) }),
  products('others-too', 'similar products, too', {
    ...found((rows) => [
      { product_type: 'course', id: 13, title: 'Street Photography', slug: 'street-photography' },
      ...rows,
    ]),
  }),
  products('no-slug', 'without slugs', {
    kind: 'fine',
    ...found((rows) => rows.map(({ slug: _gone, ...row }) => row)),
  }),
  products('bare', 'single records bare or under a key', {
    ...{ kind: 'fine', probes: [...reads, 'list_courses'] },
    after: (reply, { route, method }) => {
      if (reply.status !== 200 || method !== 'GET') return reply;
      const body: Json = Object(reply.body);
      if (route === 'products.get' || route === 'channels.get') return { ...reply, body: Object.values(body)[0] };
      const [, key] = /^(order|course|bundle)s\.get$/.exec(route) ?? [];
      return key === undefined ? reply : { ...reply, body: { [key]: body } };
    },
  }),
];

const community = classOf('community', 'community', { kind: 'open', probes: communityReads });
const probes = ['community_digest'];

const onHelp = (reply: () => Reply, kind: Switch['kind'] = 'open') => ({
  ...{ kind, probes },
  before: ({ route, ids: [id] }: Call) =>
    route === 'channels.posts' && (id === 'help' || id === '62') ? reply() : undefined,
});
const cappedPosts = (hasMeta: boolean): Rules => ({
  page: ({ shown, meta }, { list, all, page, size }) =>
    list === 'posts'
      ? { shown: cut(all, page, Math.min(25, size)), meta: hasMeta ? meta : undefined }
      : { shown, meta },
});
const forbidden = () => failure(403, 'forbidden', 'Not allowed');
const internal = () => failure(500, 'internal', 'Something went wrong');

export const communitySwitches: readonly Switch[] = [
  community('capped', 'at most 25 posts, with totals for the requested size', cappedPosts(true)),
  community('capped-no-meta', 'at most 25 posts, without meta', cappedPosts(false)),
  community('403', '403 for one channel', onHelp(forbidden)),
  community('404', '404 for one channel', onHelp(notFound)),
  community('500', '500 for one channel', onHelp(internal, 'departs')),
  community('topic-null', 'posts without a topic', { post: (shown) => ({ ...shown, topic: null }) }),
  community('channels-no-slug', 'channels without a slug', {
    probes,
    after: (reply, { route }) =>
      route === 'channels.list'
        ? ok({ channels: records(Object(reply.body).channels).map(({ slug: _gone, ...one }) => one) })
        : reply,
  }),
  community('topic-filter-ignored', 'topic_id ignored', {
    ...{ kind: 'departs', probes },
    question: ({ route, query }) => {
      if (route === 'channels.posts') Reflect.deleteProperty(query, 'topic_id');
    },
  }),
];

const completion = classOf('completion', 'completion', {
  kind: 'open',
  probes: [
    ...['course_progress', 'get_course_completion', 'student_profile/bundle', 'student_profile/many'],
    'diagnose_access/stranger',
  ],
});

const onPercent = (change: (reply: Reply, body: Json) => Reply): Rules => ({
  after: (reply, { route }) =>
    route !== 'courses.completion' || reply.status !== 200 ? reply : change(reply, Object(reply.body)),
});

/** For every seventh student. */
const forSome = (write: () => Reply) => onPercent((reply, { id }) => (Number(id) % 7 === 3 ? write() : reply));

export const completionSwitches: readonly Switch[] = [
  completion('part', '0.54', {
    kind: 'departs',
    ...onPercent((reply, body) => {
      return { ...reply, body: { ...body, course_completion_percent: Number(body.course_completion_percent) / 100 } };
    }),
  }),
  completion('422', '422 for some students', {
    ...forSome(() => failure(422, 'not_enrolled', 'Student is not enrolled')),
  }),
  completion('403', '403 for some students', forSome(forbidden)),
  completion('500', '500 for some students', { kind: 'departs', ...forSome(internal) }),
];

const structure = classOf('structure', 'structure', { kind: 'open', probes: lessonReads });

const lists = (write: (lessons: Json[]) => unknown): Rules => ({
  structure: (shown) => ({
    ...shown,
    modules: records(shown.modules).map((module) => ({ ...module, lessons: write(records(module.lessons)) })),
    ungrouped_lessons: write(records(shown.ungrouped_lessons)),
  }),
});
const byId = (one: Json, other: Json) => Number(one.id) - Number(other.id);

export const structureSwitches: readonly Switch[] = [
  structure('by-id', 'lessons listed by id', { ...lists((lessons) => [...lessons].sort(byId)) }),
  structure('reversed', 'lessons in reverse order', { ...lists((lessons) => [...lessons].reverse()) }),
  structure('modules-by-title', 'modules in reverse order', {
    structure: (shown) => ({ ...shown, modules: [...records(shown.modules)].reverse() }),
  }),
  structure('null', 'sequences of null', {
    ...lists((lessons) => lessons.map((one) => ({ ...one, sequence: null }))),
  }),
  structure('doubled', 'two lessons with each sequence', {
    seed: ({ lessons }) => {
      for (const lesson of lessons) lesson.sequence = Math.ceil(lesson.sequence / 2);
    },
  }),
  structure('modules-null', 'null for the modules of a course without modules', {
    probes: ['get_course_structure', 'plan_course_outline/as_is'],
    seed: ({ lessons, modules }) => {
      modules.splice(0);
      for (const [index, lesson] of lessons.entries()) Object.assign(lesson, { module: null, sequence: index + 1 });
    },
    structure: (shown) => ({ ...shown, modules: null }),
  }),
  structure('lessons-null', 'null for the lessons of an empty list', {
    ...lists((lessons) => (lessons.length === 0 ? null : lessons)),
  }),
  structure('twice', 'a lesson in two modules', {
    kind: 'departs',
    structure: (shown) => {
      const [first, second, ...others] = records(shown.modules);
      const [shared] = records(first?.lessons);
      return { ...shown, modules: [first, { ...second, lessons: [...records(second?.lessons), shared] }, ...others] };
    },
  }),
];
