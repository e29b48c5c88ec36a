import type * as z from 'zod';
import type { channel, post } from '../../contract/community.ts';
import type { Academy } from '../state/academy.ts';
import type { ChannelRecord, PostRecord } from '../state/community.ts';
import { isPositive } from '../state/money.ts';
import { isoTime } from '../state/time.ts';
import { withTitles } from './order.ts';

/** API document: "Limits". */
const maxOffersShown = 10;

export function channelItem({ id, name, slug }: ChannelRecord) {
  return { id, name, slug };
}

/** A channel with a paid offer is private. */
function isPrivate(academy: Academy, record: ChannelRecord): boolean {
  return record.offer_ids.some((id) => isPositive(academy.catalogue.bundles.get(id)?.price ?? '0'));
}

export function channelBody(academy: Academy, record: ChannelRecord): z.infer<typeof channel> {
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

export function postBody(academy: Academy, record: ChannelRecord, row: PostRecord): z.infer<typeof post> {
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
