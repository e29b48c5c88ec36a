import type { Rules } from '../academy/rules.ts';
import { type Call, cut, failure, notFound, ok, type Reply } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { communityReads, lessonReads, reads, records, type Switch } from './switch.ts';

function products(
  name: string,
  kind: Switch['kind'],
  says: string,
  write: (rows: Json[], call: Call) => Json[],
): Switch {
  const rules: Rules = {
    after: (reply, call) => {
      if (call.route !== 'products.search' || reply.status !== 200) return reply;
      const rows = write(Object(reply.body).products, call);
      return ok({ products: rows, count: rows.length });
    },
  };
  return {
    name: `products-${name}`,
    class: 'products',
    kind,
    says,
    probes: ['find_buyers/title', 'find_buyers', 'find_buyers/bundle', 'diagnose_access/bundle'],
    rules,
  };
}

const everything: Json[] = [
  { product_type: 'course', id: 11, title: 'Watercolour Basics', slug: 'watercolour-basics' },
  { product_type: 'course', id: 12, title: 'Sourdough at Home', slug: 'sourdough-at-home' },
  { product_type: 'bundle', id: 31, title: 'Kitchen Bundle', slug: 'kitchen-bundle' },
];

export const productSwitches: readonly Switch[] = [
  products('offers', 'open', 'bundles are called offer', (rows) =>
    rows.map((row) => (row.product_type === 'bundle' ? { ...row, product_type: 'offer' } : row)),
  ),
  products('query-ignored', 'departs', 'the query is ignored', () => everything),
  products('nothing', 'departs', 'nothing is found', () => []),
  products('others-too', 'open', 'similar products, too', (rows) => [
    { product_type: 'course', id: 13, title: 'Street Photography', slug: 'street-photography' },
    ...rows,
  ]),
  products('no-slug', 'fine', 'without slugs', (rows) => rows.map(({ slug: _gone, ...row }) => row)),
  {
    name: 'products-bare',
    class: 'products',
    kind: 'fine',
    says: 'single records bare or under a key',
    probes: [...reads, 'list_courses'],
    rules: {
      after: (reply, { route, method }) => {
        if (reply.status !== 200 || method !== 'GET') return reply;
        const body: Json = Object(reply.body);
        if (route === 'products.get' || route === 'channels.get') return { ...reply, body: Object.values(body)[0] };
        const [, key] = /^(order|course|bundle)s\.get$/.exec(route) ?? [];
        return key === undefined ? reply : { ...reply, body: { [key]: body } };
      },
    },
  },
];

function community(name: string, kind: Switch['kind'], says: string, rules: Rules, more: Partial<Switch> = {}): Switch {
  return { name: `community-${name}`, class: 'community', kind, says, probes: communityReads, rules, ...more };
}

const onHelp = (reply: () => Reply): Rules => ({
  before: ({ route, ids: [id] }) =>
    route === 'channels.posts' && (id === 'help' || id === '62') ? reply() : undefined,
});
const digest = { probes: ['community_digest'] };

export const communitySwitches: readonly Switch[] = [
  community('capped', 'open', 'at most 25 posts, with totals for the requested size', {
    page: ({ shown, meta }, question) =>
      question.list === 'posts'
        ? { shown: cut(question.all, question.page, Math.min(25, question.size)), meta }
        : { shown, meta },
  }),
  community('capped-no-meta', 'open', 'at most 25 posts, without meta', {
    page: ({ shown, meta }, question) =>
      question.list === 'posts'
        ? { shown: cut(question.all, question.page, Math.min(25, question.size)), meta: undefined }
        : { shown, meta },
  }),
  community(
    '403',
    'open',
    '403 for one channel',
    onHelp(() => failure(403, 'forbidden', 'Not allowed')),
    digest,
  ),
  community('404', 'open', '404 for one channel', onHelp(notFound), digest),
  community(
    '500',
    'departs',
    '500 for one channel',
    onHelp(() => failure(500, 'internal', 'Something went wrong')),
    digest,
  ),
  community('topic-null', 'open', 'posts without a topic', { post: (shown) => ({ ...shown, topic: null }) }),
  community(
    'channels-no-slug',
    'open',
    'channels without a slug',
    {
      after: (reply, { route }) =>
        route === 'channels.list'
          ? ok({ channels: records(Object(reply.body).channels).map(({ slug: _gone, ...one }) => one) })
          : reply,
    },
    digest,
  ),
  community(
    'topic-filter-ignored',
    'departs',
    'topic_id ignored',
    {
      question: ({ route, query }) => {
        if (route === 'channels.posts') Reflect.deleteProperty(query, 'topic_id');
      },
    },
    digest,
  ),
];

function completion(
  name: string,
  kind: Switch['kind'],
  says: string,
  change: (reply: Reply, percent: number, student: number) => Reply,
): Switch {
  const rules: Rules = {
    after: (reply, { route }) => {
      if (route !== 'courses.completion' || reply.status !== 200) return reply;
      const { course_completion_percent: percent, id } = Object(reply.body);
      return change(reply, Number(percent), Number(id));
    },
  };
  const probes = [
    'course_progress',
    'get_course_completion',
    'student_profile/bundle',
    'student_profile/many',
    'diagnose_access/stranger',
  ];
  return { name: `completion-${name}`, class: 'completion', kind, says, probes, rules };
}

const shows = (name: string, kind: Switch['kind'], says: string, write: (percent: number) => unknown) =>
  completion(name, kind, says, (reply, percent) => ({
    ...reply,
    body: { ...Object(reply.body), course_completion_percent: write(percent) },
  }));

/** For every seventh student. */
const forSome = (name: string, kind: Switch['kind'], says: string, write: () => Reply) =>
  completion(name, kind, says, (reply, _percent, student) => (student % 7 === 3 ? write() : reply));

export const completionSwitches: readonly Switch[] = [
  shows('part', 'departs', '0.54', (percent) => percent / 100),
  forSome('422', 'open', '422 for some students', () => failure(422, 'not_enrolled', 'Student is not enrolled')),
  forSome('403', 'open', '403 for some students', () => failure(403, 'forbidden', 'Not allowed')),
  forSome('500', 'departs', '500 for some students', () => failure(500, 'internal', 'Something went wrong')),
];

type Restructure = NonNullable<Rules['structure']>;

function structure(
  name: string,
  kind: Switch['kind'],
  says: string,
  rules: Rules,
  probes: readonly string[] = lessonReads,
): Switch {
  return { name: `structure-${name}`, class: 'structure', kind, says, probes, rules };
}

const lists =
  (write: (lessons: Json[]) => unknown): Restructure =>
  (shown) => ({
    ...shown,
    modules: records(shown.modules).map((module) => ({ ...module, lessons: write(records(module.lessons)) })),
    ungrouped_lessons: write(records(shown.ungrouped_lessons)),
  });

const sequences = (write: (sequence: number) => unknown) =>
  lists((lessons) => lessons.map((one) => ({ ...one, sequence: write(Number(one.sequence)) })));
const byId = (one: Json, other: Json) => Number(one.id) - Number(other.id);

export const structureSwitches: readonly Switch[] = [
  structure('by-id', 'open', 'lessons listed by id', { structure: lists((lessons) => [...lessons].sort(byId)) }),
  structure('reversed', 'open', 'lessons in reverse order', {
    structure: lists((lessons) => [...lessons].reverse()),
  }),
  structure('modules-by-title', 'open', 'modules in reverse order', {
    structure: (shown) => ({ ...shown, modules: [...records(shown.modules)].reverse() }),
  }),
  structure('null', 'open', 'sequences of null', { structure: sequences(() => null) }),
  structure('doubled', 'open', 'two lessons with each sequence', {
    seed: ({ lessons }) =>
      lessons.forEach((lesson) => {
        lesson.sequence = Math.ceil(lesson.sequence / 2);
      }),
  }),
  structure(
    'modules-null',
    'open',
    'null for the modules of a course without modules',
    {
      seed: ({ lessons, modules }) => {
        modules.splice(0);
        lessons.forEach((lesson, index) => {
          lesson.module = null;
          lesson.sequence = index + 1;
        });
      },
      structure: (shown) => ({ ...shown, modules: null }),
    },
    ['get_course_structure', 'plan_course_outline/as_is'],
  ),
  structure('lessons-null', 'open', 'null for the lessons of an empty list', {
    structure: lists((lessons) => (lessons.length === 0 ? null : lessons)),
  }),
  structure('twice', 'departs', 'a lesson in two modules', {
    structure: (shown) => {
      const [first, second, ...others] = records(shown.modules);
      const [shared] = records(first?.lessons);
      return { ...shown, modules: [first, { ...second, lessons: [...records(second?.lessons), shared] }, ...others] };
    },
  }),
];
