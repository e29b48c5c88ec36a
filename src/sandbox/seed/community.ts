import type { ChannelRecord, Community, GroupRecord, PostRecord, TopicRecord } from '../state/catalogue.ts';
import { Records, slugOf, Timeline } from '../state/collections.ts';
import type { StudentRecord } from '../state/students.ts';
import { createMemberPicker, livesIn, type SeedData, type Writer } from './pick.ts';
import { createRandom, type Random } from './random.ts';
import { type ChannelText, texts } from './texts.ts';

/** A post in a topic: mostly a line or two, sometimes a page, rarely a prompt injection. */
function postText(topic: string, writer: Writer, random: Random): string {
  const kind = random.next();
  if (kind < 0.012) return random.pick(texts.postsForMachines);
  if (kind < 0.06) return random.pick(texts.longPosts);
  const own = texts.postsInOtherLanguages.filter(({ country }) => livesIn(writer, country));
  if (kind < 0.4 && own.length > 0) return random.pick(own).text;
  const about = random.chance(0.3) ? `About “${topic}”: ` : '';
  const rest = random.chance(0.2) ? `\n\n${random.pick(texts.posts)}` : '';
  return `${random.pick(texts.greetings)}${about}${random.pick(texts.posts)}${rest}`;
}

function announcementText(random: Random): string {
  return random.pick(texts.announcements);
}

const firstTopicId = 301;
const firstPostId = 5001;

/** Groups and channels are identical in every academy. Posts, their authors and times differ by seed. */
export function seedCommunity(data: SeedData): Community {
  const random = createRandom(data.key, 'community');
  const channels = new Records(texts.channels.map(channelOf));
  const topics = texts.channels.flatMap(({ topics }, index) =>
    topics.map((title) => ({ title, channel_id: index + 1 })),
  );
  const withIds = topics.map((topic, index) => topicOf(topic, firstTopicId + index));
  return {
    groups: new Records(texts.groupNames.map(groupOf)),
    channels,
    topics: withIds,
    posts: seedPosts(data, random, withIds),
    publicPostPages: true,
  };
}

/** Positions differ from the order of the ids, as if an admin had moved the groups. */
function groupOf(name: string, index: number): GroupRecord {
  return { id: index + 1, name, position: (index + 2) % texts.groupNames.length };
}

function channelOf(text: ChannelText, index: number): ChannelRecord {
  return {
    id: index + 1,
    slug: slugOf(text.name, `channel-${index + 1}`),
    name: text.name,
    description: text.description,
    group_id: text.group,
    locked: text.locked ?? false,
    offer_ids: text.offers ?? [],
  };
}

function topicOf(topic: { title: string; channel_id: number }, id: number): TopicRecord {
  return { id, ...topic, slug: `${slugOf(topic.title, 'topic')}-${id}` };
}

function seedPosts(data: SeedData, random: Random, topics: readonly TopicRecord[]): Map<number, Timeline<PostRecord>> {
  const members = createMemberPicker(data.students.all(), random);
  const drafts = topics.flatMap((topic) =>
    Array.from({ length: random.integer(4, 38) }, () => ({ topic, created_at: data.calendar(random.next()) })),
  );
  drafts.sort((a, b) => a.created_at - b.created_at);
  const posts = new Map<number, Timeline<PostRecord>>();
  for (const [index, { topic, created_at }] of drafts.entries()) {
    const text = textIn(topic, data, members.at(created_at), random);
    const timeline = posts.get(topic.channel_id) ?? new Timeline<PostRecord>();
    timeline.add(postOf({ id: firstPostId + index, topic, created_at, now: data.now, ...text }, random));
    posts.set(topic.channel_id, timeline);
  }
  return posts;
}

/** In locked channels only an admin writes: the first student. */
function textIn(topic: TopicRecord, { students }: SeedData, member: StudentRecord | undefined, random: Random) {
  const isLocked = texts.channels[topic.channel_id - 1]?.locked === true;
  const writer = isLocked ? students.get(1) : member;
  if (writer === undefined) return { author: 'Academy team', content: announcementText(random) };
  writer.sign_in_count = Math.max(writer.sign_in_count, 1);
  return { author: writer.name, content: isLocked ? announcementText(random) : postText(topic.title, writer, random) };
}

interface PostDraft {
  readonly id: number;
  readonly topic: TopicRecord;
  readonly author: string;
  readonly content: string;
  readonly created_at: number;
  readonly now: number;
}

function postOf({ id, topic, author, content, created_at, now }: PostDraft, random: Random): PostRecord {
  const isEdited = random.chance(0.12);
  const isPublished = !random.chance(0.03);
  return {
    id,
    topic,
    content,
    author: { name: author, slug: slugOf(author, `member-${id}`) },
    created_at,
    updated_at: isEdited ? Math.min(now, created_at + random.integer(1, 600) * 60_000) : created_at,
    published_at: isPublished ? created_at : null,
  };
}
