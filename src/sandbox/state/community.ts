import type { Records } from './records.ts';
import type { Timeline } from './timeline.ts';

export interface GroupRecord {
  readonly id: number;
  readonly name: string;
  readonly position: number;
}

export interface ChannelRecord {
  readonly id: number;
  readonly slug: string;
  name: string;
  description: string | null;
  group_id: number | null;
  locked: boolean;
  /** Bundle ids. A paid one makes the channel private. */
  readonly offer_ids: readonly number[];
}

export interface TopicRecord {
  readonly id: number;
  readonly channel_id: number;
  readonly title: string;
  readonly slug: string;
}

export interface PostRecord {
  readonly id: number;
  readonly topic: TopicRecord;
  readonly content: string;
  readonly author: { readonly name: string; readonly slug: string };
  readonly created_at: number;
  readonly updated_at: number;
  readonly published_at: number | null;
}

export interface Community {
  readonly groups: Records<GroupRecord>;
  readonly channels: Records<ChannelRecord>;
  readonly topics: readonly TopicRecord[];
  /** By channel id. */
  readonly posts: ReadonlyMap<number, Timeline<PostRecord>>;
  /** Whether posts of public channels have a page. The API does not show this account setting. */
  readonly publicPostPages: boolean;
}
