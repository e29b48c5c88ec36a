import { failure, html, notFound, ok, type Reply } from '../academy/call.ts';
import { cut, metaOf } from '../academy/pages.ts';
import type { Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { communityReads, lessonReads, type Switch } from './switch.ts';

const records = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

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
  shows('sign', 'open', '"54%"', (percent) => `${percent}%`),
  shows('text', 'open', '"54"', String),
  shows('part', 'departs', '0.54', (percent) => percent / 100),
  shows('decimal', 'open', '54.4', (percent) => (percent === 0 || percent === 100 ? percent : percent + 0.4)),
  shows('decimal-text', 'open', '"54.4"', (percent) =>
    percent === 0 || percent === 100 ? `${percent}.0` : `${percent}.4`,
  ),
  shows('null', 'departs', 'null', () => null),
  shows('null-zero', 'open', 'null for those who have not begun', (percent) => (percent === 0 ? null : percent)),
  shows('over', 'departs', '120 for 100', (percent) => (percent === 100 ? 120 : percent)),
  shows('negative', 'departs', '-1 for 0', (percent) => (percent === 0 ? -1 : percent)),
  shows('missing', 'departs', 'not there', () => undefined),
  shows('object', 'departs', '{"percent":54}', (percent) => ({ percent })),
  forSome('422', 'open', '422 for some students', () => failure(422, 'not_enrolled', 'Student is not enrolled')),
  forSome('403', 'open', '403 for some students', () => failure(403, 'forbidden', 'Not allowed')),
  forSome('404', 'open', '404 for some students', notFound),
  forSome('html', 'departs', 'a web page for some students', () => html(200, '<html></html>')),
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

/** Each list of lessons written in another way. */
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
  structure('reversed', 'open', 'lessons listed the other way round', {
    structure: lists((lessons) => [...lessons].reverse()),
  }),
  structure('modules-by-title', 'open', 'modules listed the other way round', {
    structure: (shown) => ({ ...shown, modules: [...records(shown.modules)].reverse() }),
  }),
  structure('null', 'open', 'sequences of null', { structure: sequences(() => null) }),
  structure('null-by-id', 'departs', 'sequences of null, listed by id', {
    structure: lists((lessons) => [...lessons].sort(byId).map((one) => ({ ...one, sequence: null }))),
  }),
  structure('missing', 'open', 'no sequences', { structure: sequences(() => undefined) }),
  structure('text', 'departs', 'sequences as "3"', { structure: sequences(String) }),
  structure('text-by-id', 'departs', 'sequences as "3", listed by id', {
    structure: lists((lessons) => [...lessons].sort(byId).map((one) => ({ ...one, sequence: String(one.sequence) }))),
  }),
  structure('doubled', 'open', 'two lessons with each sequence', {
    seed: ({ lessons }) =>
      lessons.forEach((lesson) => {
        lesson.sequence = Math.ceil(lesson.sequence / 2);
      }),
  }),
  structure('all-zero', 'open', 'every sequence is 0', {
    seed: ({ lessons }) =>
      lessons.forEach((lesson) => {
        lesson.sequence = 0;
      }),
  }),
  structure('gapped', 'open', 'sequences with gaps', {
    seed: ({ lessons }) =>
      lessons.forEach((lesson) => {
        lesson.sequence = lesson.sequence * 13 + 4;
      }),
  }),
  structure('from-zero', 'open', 'sequences from 0', {
    seed: ({ lessons }) =>
      lessons.forEach((lesson) => {
        lesson.sequence -= 1;
      }),
  }),
  structure('position', 'departs', 'the key position in place of sequence, listed by id', {
    structure: lists((lessons) =>
      [...lessons].sort(byId).map(({ sequence, ...one }) => ({ ...one, position: sequence })),
    ),
  }),
  structure(
    'modules-null',
    'open',
    'null for the modules of a course that has none',
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
  structure('nested', 'departs', 'a module within a module', {
    structure: (shown) => {
      const [first, second, ...others] = records(shown.modules);
      return { ...shown, modules: [{ ...first, modules: [second] }, ...others] };
    },
  }),
  structure('twice', 'departs', 'a lesson in two modules', {
    structure: (shown) => {
      const [first, second, ...others] = records(shown.modules);
      const [shared] = records(first?.lessons);
      return { ...shown, modules: [first, { ...second, lessons: [...records(second?.lessons), shared] }, ...others] };
    },
  }),
  structure('flat', 'departs', 'one list of lessons with module_id', {
    structure: ({ modules, ungrouped_lessons, ...shown }) => ({
      ...shown,
      lessons: [
        ...records(modules).flatMap(({ id, lessons }) => records(lessons).map((one) => ({ ...one, module_id: id }))),
        ...records(ungrouped_lessons),
      ],
    }),
  }),
  structure('wrapped', 'fine', 'under the key course_structure', {
    after: (reply, { route }) =>
      route === 'courses.structure' && reply.status === 200 ? ok({ course_structure: reply.body }) : reply,
  }),
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
  community('capped', 'open', '25 posts at most, with totals as asked for', {
    page: ({ shown, meta }, question) =>
      question.list === 'posts'
        ? { shown: cut(question.all, question.page, Math.min(25, question.size)), meta }
        : { shown, meta },
  }),
  community('capped-no-meta', 'open', '25 posts at most, without meta', {
    page: ({ shown, meta }, question) =>
      question.list === 'posts'
        ? { shown: cut(question.all, question.page, Math.min(25, question.size)), meta: undefined }
        : { shown, meta },
  }),
  community('capped-told', 'open', '25 posts at most, as meta says', {
    page: (page, question) => {
      if (question.list !== 'posts') return page;
      const own = { ...question, size: Math.min(25, question.size) };
      return { shown: cut(own.all, own.page, own.size), meta: metaOf(own) };
    },
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
    '404-html',
    'departs',
    'a 404 web page for one channel',
    onHelp(() => html(404, '<html></html>')),
    digest,
  ),
  community(
    '422',
    'departs',
    '422 for one channel',
    onHelp(() => failure(422, 'locked', 'Channel is locked')),
    digest,
  ),
  community(
    '500',
    'departs',
    '500 for one channel',
    onHelp(() => failure(500, 'internal', 'Something went wrong')),
    digest,
  ),
  community(
    'html',
    'departs',
    'a web page for one channel',
    onHelp(() => html(200, '<html></html>')),
    digest,
  ),
  community('topic-null', 'open', 'posts without a topic', { post: (shown) => ({ ...shown, topic: null }) }),
  community('topic-some-null', 'open', 'every fifth post without a topic', {
    post: (shown, { id }) => (id % 5 === 0 ? { ...shown, topic: null } : shown),
  }),
  community('topic-id', 'departs', 'topic_id in place of topic', {
    post: ({ topic: _gone, ...shown }, { topic }) => ({ ...shown, topic_id: topic }),
  }),
  community('author-null', 'fine', 'posts without an author', { post: (shown) => ({ ...shown, author: null }) }),
  community('no-share-url', 'fine', 'posts without share_url', { post: ({ share_url: _gone, ...shown }) => shown }),
  community('published-null', 'fine', 'published_at of null', { post: (shown) => ({ ...shown, published_at: null }) }),
  community('oldest-first', 'departs', 'posts oldest first', {
    page: (page, question) =>
      question.list === 'posts'
        ? { shown: cut([...question.all].reverse(), question.page, question.size), meta: page.meta }
        : page,
  }),
  community('channels-bare', 'open', 'channels as a bare list', {
    after: (reply, { route }) => (route === 'channels.list' ? ok(Object(reply.body).channels) : reply),
  }),
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
    'channels-empty',
    'departs',
    'null for the channels',
    {
      after: (reply, { route }) => (route === 'channels.list' ? ok({ channels: null }) : reply),
    },
    digest,
  ),
  community('posts-data', 'departs', 'posts under the key data', {
    after: (reply, { route }) => {
      if (route !== 'channels.posts' || reply.status !== 200) return reply;
      const { posts, ...others } = Object(reply.body);
      return ok({ ...others, data: posts });
    },
  }),
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
