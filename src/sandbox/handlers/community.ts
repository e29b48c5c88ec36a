import type * as z from 'zod';
import type { channel, post } from '../../contract/community.ts';
import { contains, definedFields, invalidParameter, pageOf, requireChannel, type SectionHandlers } from '../handler.ts';
import type { ChannelRecord, PostRecord } from '../seed/community.ts';
import type { Academy } from '../state/academy.ts';
import { isoTime, rowsOfPeriod, slugOf, uniqueSlug } from '../state/collections.ts';
import { isPositive } from '../state/orders.ts';
import { withTitles } from '../views.ts';

/** API document: "Limits". */
const maxOffersShown = 10;

function channelItem({ id, name, slug }: ChannelRecord) {
  return { id, name, slug };
}

/** A channel with a paid offer is private. */
function isPrivate(academy: Academy, record: ChannelRecord): boolean {
  return record.offer_ids.some((id) => isPositive(academy.catalogue.bundles.get(id)?.price ?? '0'));
}

function channelBody(academy: Academy, record: ChannelRecord): z.infer<typeof channel> {
  const { groups, topics } = academy.community;
  const group = record.group_id === null ? undefined : groups.get(record.group_id);
  return {
    ...channelItem(record),
    description: record.description,
    locked: record.locked,
    is_private: isPrivate(academy, record),
    group: group === undefined ? null : { id: group.id, name: group.name },
    topic_count: topics.filter((topic) => topic.channel_id === record.id).length,
    path: channelPath(record),
    offers: withTitles(academy.catalogue.bundles, record.offer_ids.slice(0, maxOffersShown)),
  };
}

function postBody(academy: Academy, record: ChannelRecord, row: PostRecord): z.infer<typeof post> {
  const { id, title, slug } = row.topic;
  const path = `${channelPath(record)}/topics/${slug}`;
  const body = {
    id: row.id,
    content: row.content,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    published_at: row.published_at === null ? null : isoTime(row.published_at),
    topic: { id, title, slug, path },
    author: { name: row.author.name, slug: row.author.slug },
  };
  const hasPage = academy.community.publicPostPages && !isPrivate(academy, record);
  if (!hasPage) return body;
  return { ...body, share_url: `https://${academy.settings.subdomain}.example.com${path}/posts/${row.id}` };
}

function channelPath({ slug }: ChannelRecord): string {
  return `/community/channels/${slug}`;
}

// API document: "Limits".
const defaultChannels = 25;
const defaultPosts = 25;
const maxGroups = 100;

export const communityHandlers: SectionHandlers<'community'> = {
  'community.searchChannels': ({ query = '', limit = defaultChannels }, { community }) => ({
    channels: community.channels
      .all()
      .filter(({ name, slug }) => contains(query, name, slug))
      .slice(0, limit)
      .map(channelItem),
  }),

  'community.getChannel': ({ id_or_slug }, academy) => channelBody(academy, requireChannel(academy, id_or_slug)),

  'community.createChannel': ({ name, description, group_id, locked = false }, academy) => {
    requireGroup(academy, group_id);
    const { channels } = academy.community;
    const taken = new Set(channels.all().map(({ slug }) => slug));
    const channel = channels.add({
      id: channels.nextId(),
      slug: uniqueSlug(slugOf(name, 'channel'), taken),
      name,
      description: description ?? null,
      group_id: group_id ?? null,
      locked,
      offer_ids: [],
    });
    return { channel: channelBody(academy, channel) };
  },

  'community.updateChannel': ({ id_or_slug, ...changes }, academy) => {
    const channel = requireChannel(academy, id_or_slug);
    requireGroup(academy, changes.group_id);
    Object.assign(channel, definedFields(changes));
    return { channel: channelBody(academy, channel) };
  },

  'community.listCommunityGroups': (_input, { community }) => ({
    groups: community.groups
      .all()
      .sort((a, b) => a.position - b.position)
      .slice(0, maxGroups)
      .map((group) => ({
        ...group,
        channel_count: community.channels.all().filter(({ group_id }) => group_id === group.id).length,
      })),
  }),

  'community.searchPosts': ({ id_or_slug, page = 1, per_page = defaultPosts, ...filter }, academy) => {
    const channel = requireChannel(academy, id_or_slug);
    const { query = '', topic_id } = filter;
    const fits = (post: PostRecord) =>
      post.topic.channel_id === channel.id &&
      (topic_id === undefined || post.topic.id === topic_id) &&
      contains(query, post.content, post.topic.title);
    const found = rowsOfPeriod(academy.community.posts, filter).filter(fits).reverse();
    const { rows, pages } = pageOf(found, page, per_page);
    return {
      channel: channelItem(channel),
      posts: rows.map((row) => postBody(academy, channel, row)),
      meta: { current_page: page, per_page, total_pages: pages, total_posts: found.length },
    };
  },
};

function requireGroup({ community }: Academy, groupId: number | undefined): void {
  if (groupId !== undefined && community.groups.get(groupId) === undefined) {
    throw invalidParameter('group_id: group not found');
  }
}
