import * as community from '../../src/contract/community.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { pageFacts, presentPage } from '../../src/mcp/output/paging.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { postRow, presentPost } from './post-row.ts';

/** API document: "Limits". */
const defaultPerPage = 25;

export const searchPosts = defineApiTool({
  name: 'search_posts',
  toolset: 'community',
  title: 'Search posts',
  description:
    'Reads the posts of one channel, newest first: all, or by words, topic or time, a page at a time. Returns who wrote what in which topic. For project work use list_project_posts. Read-only; one request a page.',
  operation: community.searchPosts,
  output: listOutput('posts', postRow, { channel: recordOutput(community.channelItem.shape), ...pageOutput }),
  present: ({ items, channel, meta }, { page = 1, per_page = defaultPerPage }) => {
    const size = meta?.per_page ?? per_page;
    return presentPage({
      noun: 'posts',
      list: 'posts',
      rows: items.map(presentPost),
      facts: pageFacts(meta, meta?.total_posts, page, { records: items.length, size }),
      size,
      beside: channel === undefined ? {} : { channel: sanitizeRecord(community.channelItem, channel) },
    });
  },
});
