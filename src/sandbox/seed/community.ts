import { numbered, type RowOf, slugOf } from '../state/collections.ts';
import type { StudentRecord } from '../state/students.ts';
import { createMemberPicker, livesIn, type SeedData, type Writer } from './pick.ts';
import { createRandom, type Random } from './random.ts';
import { texts } from './texts.ts';

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

const firstTopicId = 301;
const firstPostId = 5001;

/** Groups and channels are identical in every academy. Posts, their authors and times differ by seed. */
export function seedCommunity(data: SeedData) {
  const topics = seedTopics();
  return {
    // Positions differ from the order of the ids, as if an admin had moved the groups.
    groups: numbered(
      texts.groupNames.map((name, index) => ({ name, position: (index + 2) % texts.groupNames.length })),
    ),
    channels: numbered(
      texts.channels.map(({ name, description, group, locked = false, offers = [] }) => ({
        slug: slugOf(name, 'channel'),
        name,
        description,
        group_id: group,
        locked,
        /** Bundle ids. A paid one makes the channel private. */
        offer_ids: offers,
      })),
    ),
    topics,
    /** Oldest first. */
    posts: seedPosts(data, topics),
    /** Whether posts of public channels have a page. The API does not show this account setting. */
    publicPostPages: true,
  };
}

export type Community = ReturnType<typeof seedCommunity>;
export type ChannelRecord = RowOf<Community['channels']>;
export type PostRecord = Community['posts'][number];
type TopicRecord = ReturnType<typeof seedTopics>[number];

function seedTopics() {
  const titles = texts.channels.flatMap(({ topics }, index) =>
    topics.map((title) => ({ title, channel_id: index + 1 })),
  );
  return titles.map(({ title, channel_id }, index) => {
    const id = firstTopicId + index;
    return { id, channel_id, title, slug: `${slugOf(title, 'topic')}-${id}` };
  });
}

function seedPosts(data: SeedData, topics: readonly TopicRecord[]) {
  const random = createRandom(data.key, 'community');
  const memberAt = createMemberPicker(data.students.all(), random);
  const drafts = topics.flatMap((topic) =>
    Array.from({ length: random.integer(4, 38) }, () => ({ topic, created_at: data.calendar(random.next()) })),
  );
  drafts.sort((a, b) => a.created_at - b.created_at);
  return drafts.map(({ topic, created_at }, index) => {
    const id = firstPostId + index;
    const { name, content } = writtenIn(topic, data, memberAt(created_at), random);
    const author = { name, slug: slugOf(name, 'member') };
    return { id, topic, content, author, ...postTimes(created_at, data.now, random) };
  });
}

/** In locked channels only an admin writes: the first student. */
function writtenIn(topic: TopicRecord, { students }: SeedData, member: StudentRecord | undefined, random: Random) {
  const isLocked = texts.channels[topic.channel_id - 1]?.locked === true;
  const writer = isLocked ? students.get(1) : member;
  if (writer !== undefined) writer.sign_in_count = Math.max(writer.sign_in_count, 1);
  const isAnnouncement = isLocked || writer === undefined;
  const content = isAnnouncement ? random.pick(texts.announcements) : postText(topic.title, writer, random);
  return { name: writer?.name ?? 'Academy team', content };
}

function postTimes(created_at: number, now: number, random: Random) {
  const isEdited = random.chance(0.12);
  const isPublished = !random.chance(0.03);
  const updated_at = isEdited ? Math.min(now, created_at + random.integer(1, 600) * 60_000) : created_at;
  return { created_at, updated_at, published_at: isPublished ? created_at : null };
}
