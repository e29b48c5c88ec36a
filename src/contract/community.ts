import * as z from 'zod';
import { isObject } from '../shared/json.ts';
import { defineOperation } from './operation.ts';
import {
  describedOnce,
  flag,
  id,
  idOrSlug,
  integer,
  limitedText,
  pageNumber,
  text,
  timestamp,
  title,
} from './schemas/input-fields.ts';
import { bareRecord, keyedRecord, listOf } from './schemas/response.ts';
import { block, code, line, memberBlock, memberCode, memberLine, unvalidated } from './schemas/response-text.ts';

// API document: "Community channel", "Community post", "Endpoints / Community".

export const channelItem = z.object({ id: z.int(), name: line('Channel name'), slug: code() });

/** The document mentions a group, topic count, path and up to 10 offers, but not their keys. */
export const channel = channelItem.extend({
  description: block('Channel description').nullable(),
  locked: z.boolean().describe('Only admins may post'),
  is_private: z.boolean().describe('Decided by attached paid offers; read-only'),
  group: unvalidated(z.object({ id: z.int(), name: line('Group name') })).nullable(),
  topic_count: z.int(),
  path: code(),
  offers: unvalidated(z.array(z.object({ id: z.int(), title: line('Offer title') }))),
});

/** The id of a channel's group: in its record, or bare. Null for no group, undefined if the id is not shown. */
export function groupIdOf(group: unknown): number | null | undefined {
  if (group === null) return null;
  const id = isObject(group) ? group.id : group;
  return typeof id === 'number' ? id : undefined;
}

const communityGroup = z.object({
  id: z.int(),
  name: line('Group name'),
  position: z.int(),
  channel_count: z.int(),
});

export const post = z.object({
  id: z.int(),
  content: memberBlock('What the member wrote'),
  created_at: code(),
  updated_at: code(),
  published_at: code().nullable(),
  share_url: memberCode('Only in public channels with public post pages').optional(),
  topic: z.object({ id: z.int(), title: memberLine('Topic title'), slug: memberCode(), path: memberCode() }),
  author: z.object({ name: memberLine('Author name'), slug: memberCode() }),
});

const postsBeside = z.object({
  channel: channelItem,
  meta: z.object({ current_page: z.int(), per_page: z.int(), total_pages: z.int(), total_posts: z.int() }),
});

const channelKey = { id_or_slug: describedOnce(idOrSlug('Channel id or slug, from search_channels')) };

const channelFields = {
  description: describedOnce(text('What the channel is for')).optional(),
  group_id: describedOnce(id('Community group id, from list_community_groups')).optional(),
  locked: describedOnce(flag('true: only admins may post')).optional(),
};

export const searchChannels = defineOperation({
  id: 'community.searchChannels',
  method: 'GET',
  path: '/api/v1/community/channels',
  summary: 'Find community channels by name or slug.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_community',
  query: {
    query: describedOnce(limitedText(255).describe('Part of a channel name or slug')).optional(),
    limit: integer(1, 50, 'Maximum number; default 25').optional(),
  },
  response: listOf('channels', channelItem),
});

export const getChannel = defineOperation({
  id: 'community.getChannel',
  method: 'GET',
  path: '/api/v1/community/channels/:id_or_slug',
  summary: 'One channel with its group and offers.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_community',
  params: channelKey,
  response: bareRecord('channel', channel),
});

export const createChannel = defineOperation({
  id: 'community.createChannel',
  method: 'POST',
  path: '/api/v1/community/channels',
  summary: 'Add a community channel. Privacy cannot be set.',
  effect: 'create',
  repeat: 'creates',
  capability: 'manage_community',
  checkWith: 'search_channels',
  changes: [],
  undo: 'hide',
  undoWith: 'update_channel locks it if it is open; nothing deletes it',
  envelope: 'channel',
  body: { name: describedOnce(title('Channel name')), ...channelFields },
  response: keyedRecord('channel', channel),
});

export const updateChannel = defineOperation({
  id: 'community.updateChannel',
  method: 'PATCH',
  path: '/api/v1/community/channels/:id_or_slug',
  summary: 'Change the given fields of a channel. Privacy cannot be set.',
  effect: 'update',
  repeat: 'same_effect',
  capability: 'manage_community',
  checkWith: 'get_channel',
  changes: [],
  undo: 'restore',
  undoWith: 'the old values can be written back, as far as the API shows them',
  params: channelKey,
  envelope: 'channel',
  body: { name: describedOnce(title('Channel name')).optional(), ...channelFields },
  response: keyedRecord('channel', channel),
});

export const listCommunityGroups = defineOperation({
  id: 'community.listCommunityGroups',
  method: 'GET',
  path: '/api/v1/community/groups',
  summary: 'Up to 100 community groups by position, each with its channel count.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_community',
  response: listOf('groups', communityGroup),
});

export const searchPosts = defineOperation({
  id: 'community.searchPosts',
  method: 'GET',
  path: '/api/v1/community/channels/:id_or_slug/posts',
  summary: 'Posts of one channel, newest first, by words, topic or time.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_community_posts',
  params: channelKey,
  query: {
    query: describedOnce(
      limitedText(200).describe('Words in the post or its topic title, at most 200 characters'),
    ).optional(),
    topic_id: describedOnce(id('Topic id, from search_posts')).optional(),
    created_after: describedOnce(timestamp('ISO 8601 time; only posts created from then on')).optional(),
    created_before: describedOnce(timestamp('ISO 8601 time; only posts created before')).optional(),
    page: pageNumber(),
    per_page: integer(1, 100, 'Posts per page; default 25').optional(),
  },
  response: listOf('posts', post, postsBeside),
});
