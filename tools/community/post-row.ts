import * as z from 'zod';
import { post as postRecord } from '../../src/contract/community.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { isObject, type Json } from '../../src/shared/json.ts';

/** How a post stands in an answer: flat, its content under `untrusted`. */
export const postRow = recordOutput({
  id: z.int(),
  created_at: z.string(),
  updated_at: z.string().describe('Only where it differs from created_at; so published_at'),
  published_at: z.string(),
  topic_id: z.int(),
  topic: z.string(),
  topic_path: z.string(),
  author: z.string(),
  author_slug: z.string(),
  share_url: z.string(),
  content: postRecord.shape.content,
});

function given(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function fieldsOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** Times that say the same as `created_at` are left out, and the slug of a topic where there is its path. */
export function presentPost(record: object): Json {
  const shown = sanitizeRecord(postRecord, record);
  const { id, created_at, updated_at, published_at, share_url, topic, author, untrusted } = shown;
  const { id: topic_id = shown.topic_id, title, slug: topic_slug, path: topic_path = topic_slug } = fieldsOf(topic);
  const { name, slug } = fieldsOf(author);
  return given({
    id,
    created_at,
    updated_at: updated_at === created_at ? undefined : updated_at,
    published_at: published_at === created_at ? undefined : published_at,
    topic_id,
    topic: title,
    topic_path,
    author: name,
    author_slug: slug,
    share_url,
    untrusted,
  });
}
