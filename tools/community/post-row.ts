import * as z from 'zod';
import { post as postRecord } from '../../src/contract/community.ts';
import { memberCode } from '../../src/contract/schemas/response-text.ts';
import { alteredKey, renamedAltered } from '../../src/mcp/output/fence-free-text.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { isObject, type Json } from '../../src/shared/json.ts';

/** A post in an answer: flat, with its content under `untrusted`. */
export const postRow = recordOutput({
  id: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  published_at: z.string(),
  topic_id: z.int(),
  topic: postRecord.shape.topic.shape.title,
  author: postRecord.shape.author.shape.name,
  topic_path: memberCode(),
  author_slug: memberCode(),
  share_url: memberCode(),
  content: postRecord.shape.content,
});

/** Addresses, which take more room than the texts of short posts: only with `links`. */
const linkFields = ['topic_path', 'author_slug', 'share_url'];

export function postColumns(hasLinks = false): string[] {
  return Object.keys(postRow.shape).filter((name) => name !== 'untrusted' && (hasLinks || !linkFields.includes(name)));
}

const fieldsOf = (value: unknown): Json => (isObject(value) ? value : {});

/** Omits times identical to `created_at`, the slug of a topic that has a path, and a path that `share_url` contains. */
export function presentPost(record: object, hasLinks = false): Json {
  const shown = sanitizeRecord(postRecord, record);
  const { id, created_at, updated_at, published_at, share_url, untrusted } = shown;
  const [topic, author] = [fieldsOf(shown.topic), fieldsOf(shown.author)];
  const { id: topic_id = shown.topic_id, title, path = topic.slug } = topic;
  const altered = [
    ...renamedAltered(shown, {}),
    ...renamedAltered(topic, { title: 'topic', path: 'topic_path' }),
    ...renamedAltered(author, { name: 'author', slug: 'author_slug' }),
  ].filter((name) => hasLinks || !linkFields.includes(name));
  // The address of a post contains the path of its topic.
  const isInside = typeof share_url === 'string' && share_url.includes(`${path}/`);
  const links = { topic_path: isInside ? undefined : path, author_slug: author.slug, share_url };
  return {
    id,
    created_at,
    updated_at: updated_at === created_at ? undefined : updated_at,
    published_at: published_at === created_at ? undefined : published_at,
    topic_id,
    topic: title,
    author: author.name,
    ...(hasLinks ? links : {}),
    [alteredKey]: altered.length > 0 ? altered : undefined,
    untrusted,
  };
}
