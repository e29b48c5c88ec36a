import { failure, notFound, ok, type Reply } from '../academy/call.ts';
import { cut } from '../academy/pages.ts';
import type { Rules } from '../academy/rules.ts';
import { records } from './helpers.ts';
import { communityReads, type Switch } from './switch.ts';

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
