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
  updated_at: z.string().describe('Omitted if it is the same as created_at; so is published_at'),
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

function fieldsOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The address of a post contains the path of its topic. */
function isInside(path: unknown, address: unknown): boolean {
  return typeof path === 'string' && typeof address === 'string' && address.includes(`${path}/`);
}

/** Omits times identical to `created_at`, the slug of a topic that has a path, and a path that `share_url` contains. */
export function presentPost(record: object, hasLinks = false): Json {
  const shown = sanitizeRecord(postRecord, record);
  const { id, created_at, updated_at, published_at, share_url, topic, author, untrusted } = shown;
  const { id: topic_id = shown.topic_id, title, slug: topic_slug, path: topic_path = topic_slug } = fieldsOf(topic);
  const { name, slug } = fieldsOf(author);
  const altered = [
    ...renamedAltered(shown, {}),
    ...renamedAltered(fieldsOf(topic), { title: 'topic', path: 'topic_path' }),
    ...renamedAltered(fieldsOf(author), { name: 'author', slug: 'author_slug' }),
  ].filter((name) => hasLinks || !linkFields.includes(name));
  const links = {
    topic_path: isInside(topic_path, share_url) ? undefined : topic_path,
    author_slug: slug,
    share_url,
  };
  return {
    id,
    created_at,
    updated_at: updated_at === created_at ? undefined : updated_at,
    published_at: published_at === created_at ? undefined : published_at,
    topic_id,
    topic: title,
    author: name,
    ...(hasLinks ? links : {}),
    [alteredKey]: altered.length > 0 ? altered : undefined,
    untrusted,
  };
}
