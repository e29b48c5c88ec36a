import { count, day, derived, phrase } from '../facts.ts';
import type { Tasks } from '../task.ts';
import { addPost, channelId, postsOf } from '../truth.ts';
import { also, claimed, does, misquotes } from '../wrong.ts';

const studyGroup = { name: 'Python Study Group', description: 'Meet on Tuesdays and bring one question!' };
const coffee = { name: 'Coffee Corner', description: 'Anything but courses!' };

export const community: Tasks = {
  'count-posts': {
    instruction:
      'How many posts were written in the channel "Python Corner" in May 2026 (UTC), by how many different people, and who wrote more than one?',
    requests: 40,
    says: (academy) => {
      const authors = postsOf(academy, 'Python Corner', '2026-05-01', '2026-06-01').map(({ author }) => author.name);
      const busy = authors.filter((name, index) => authors.indexOf(name) !== index);
      return [count(authors.length), derived(count(new Set(authors).size)), ...busy.map(phrase)];
    },
    reads: () => [
      '/api/v1/community/channels?query=Python',
      '/api/v1/community/channels/5/posts?created_after=2026-05-01&created_before=2026-06-01',
    ],
    oracle: async ({ call }) => {
      const period = { created_after: '2026-05-01', created_before: '2026-06-01' };
      const posts = await call('search_posts', { id_or_slug: 'python-corner', ...period });
      const authors = posts.rows('posts').map(({ author }) => String(author));
      const busy = authors.filter((name, index) => authors.indexOf(name) !== index);
      return `${posts.get('total')} posts by ${new Set(authors).size} people; ${busy.join(', ')} wrote more than one.`;
    },
    saboteurs: {
      said: {
        'counts a post of June': misquotes('9 posts', '10 posts'),
        'counts posts as people': misquotes('by 8 people', 'by 9 people'),
        'names another writer': misquotes('Olivia Hayes', 'Hannah Hayes'),
      },
    },
  },
  'find-post': {
    instruction:
      'In June 2026 somebody asked in the community for an invoice template with Swiss VAT. Who was it, in which channel, and on which day (UTC)?',
    requests: 60,
    arrangement: {
      arrange: (academy) => {
        const content = 'Has anybody an invoice template with Swiss VAT? Mine is rejected each time.';
        addPost(academy, 'Freelancers', { author: 'Friederike Krüger', at: '2026-06-11T09:30:00Z', content });
        const answer = 'I have an invoice template, but with German VAT.';
        addPost(academy, 'Freelancers', { author: 'Loïc Lefèvre', at: '2026-06-12T10:00:00Z', content: answer });
      },
    },
    says: () => [phrase('Friederike Krüger'), phrase('Freelancers'), day('2026-06-11')],
    reads: () => [
      '/api/v1/community/channels?limit=50',
      ...Array.from({ length: 13 }, (_, index) => {
        const query = 'query=Swiss&created_after=2026-06-01&created_before=2026-07-01';
        return `/api/v1/community/channels/${index + 1}/posts?${query}`;
      }),
    ],
    oracle: async ({ call }) => {
      const period = { created_after: '2026-06-01', created_before: '2026-07-01' };
      const [post] = (await call('search_posts', { query: 'Swiss', ...period })).rows('posts');
      const { name } = (await call('get_channel', { id_or_slug: String(post?.channel) })).data;
      return `${post?.author} asked in ${name} on ${post?.created_at}.`;
    },
    saboteurs: {
      said: {
        'names who answered': misquotes('Friederike Krüger', 'Loïc Lefèvre'),
        'has the day of the answer': misquotes('2026-06-11', '2026-06-12'),
        'has another channel': misquotes('Freelancers', 'Members Lounge'),
      },
    },
  },
  'new-channel': {
    instruction:
      'Open a new community channel "Python Study Group" in the group "Courses", with the description "Meet on Tuesdays and bring one question!" Everybody may write in it.',
    requests: 30,
    writes: ({ community }) => {
      const group = community.groups.all().find(({ name }) => name === 'Courses');
      const channel = { ...studyGroup, group_id: group?.id, locked: false };
      return [['POST', '/api/v1/community/channels', { channel }]];
    },
    reads: () => ['/api/v1/community/groups'],
    oracle: async ({ call }) => {
      const groups = (await call('list_community_groups')).rows('groups');
      const group_id = groups.find(({ name }) => name === 'Courses')?.id;
      await call('create_channel', { ...studyGroup, group_id });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'takes another group': does(['create_channel', { ...studyGroup, group_id: 3 }]),
        'leaves out the description': does(['create_channel', { name: studyGroup.name, group_id: 2 }]),
        'locks it': does(['create_channel', { ...studyGroup, group_id: 2, locked: true }]),
        'makes an old channel of it': does(['update_channel', { id_or_slug: 'python-corner', ...studyGroup }]),
        'adds a second one': also('create_channel', { ...studyGroup, group_id: 2, name: 'Python Study Group 2' }),
      },
    },
  },
  'rename-channel': {
    instruction:
      'The channel "Small Talk" is to be called "Coffee Corner" from today, with the description "Anything but courses!" Nothing else about it changes.',
    requests: 20,
    writes: (academy) => [
      ['PATCH', `/api/v1/community/channels/${channelId(academy, 'Small Talk')}`, { channel: coffee }],
    ],
    reads: () => ['/api/v1/community/channels?query=Small'],
    oracle: async ({ call }) => {
      const [channel] = (await call('search_channels', { query: 'Small Talk' })).rows('channels');
      await call('update_channel', { id_or_slug: String(channel?.id), ...coffee });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'claims it': claimed,
        'forgets the description': does(['update_channel', { id_or_slug: 'small-talk', name: coffee.name }]),
        'opens a new channel': does(['create_channel', { ...coffee, group_id: 5 }]),
        'locks it too': also('update_channel', { id_or_slug: 'small-talk', locked: true }),
      },
    },
  },
};
