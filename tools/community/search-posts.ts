import * as z from 'zod';
import { unreadableEntries } from '../../src/api/http/unreadable-paths.ts';
import * as community from '../../src/contract/community.ts';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import { idOrSlug } from '../../src/contract/schemas/path-segment.ts';
import { rowTimes, spanOf, withRowTime } from '../../src/insights/row-time.ts';
import { countUnreadable } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { verifyPage } from '../../src/mcp/output/page-completeness.ts';
import { presentPage } from '../../src/mcp/output/pagination.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { isSelectedHere, searchAllChannels } from '../../src/workflows/community/search-all-channels.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { shownPages } from '../../src/workflows/scan-store.ts';
import * as given from '../insights/shared-arguments.ts';
import { emptyPostsNote } from './empty-posts.ts';
import { filterPosts, unreadableDates } from './filter-posts.ts';
import { postColumns, postRow, presentPost } from './post-row.ts';
import { presentAllChannels } from './search-all-channels-result.ts';

/** API document: "Limits". */
const defaultPerPage = 25;

/** The posts of one channel, as the API pages them. */
const oneChannel = defineApiTool({
  name: 'search_posts',
  toolset: 'community',
  title: 'Search posts',
  description:
    'Reads posts that people write in the community (forum), newest first, by words (a OR b), author, topic or time: of one channel or, without id_or_slug, of all. For a summary use community_digest, for project work list_project_posts.',
  cost: {
    requests: 1,
    per: 'page (for all channels per channel and page of 100 posts)',
    plus: [{ requests: [0, 2], when: 'to list channels' }],
  },
  example: { id_or_slug: 'photo-critique', per_page: 5 },
  operation: community.searchPosts,
  output: listOutput('posts', postRow.extend({ channel: z.string().optional() }), {
    channel: recordOutput(community.channelItem.shape),
    ...pageOutput,
    note: z.string(),
  }),
  present: (answer, asked, _titles, _told, { stores, now, timezone }) => {
    const { page = 1, per_page = defaultPerPage } = asked;
    const { items, channel, meta } = answer;
    const size = meta?.per_page ?? per_page;
    const { kept, facts: strays, problem } = filterPosts(items, asked);
    const lost = unreadableEntries(answer);
    const question = { page, size, meta, total: meta?.total_posts, records: items, lost };
    const key = `search_posts ${JSON.stringify({ ...asked, page: undefined })}`;
    const proved = verifyPage(question, shownPages(stores, key));
    const rowTime = rowTimes(timezone, spanOf(asked, now()));
    return presentPage({
      noun: 'posts',
      list: 'posts',
      rows: kept.map((post) => withRowTime(presentPost(post), rowTime)),
      columns: postColumns,
      facts: proved.facts,
      problem: proved.problem ?? problem,
      size,
      unreadable: countUnreadable([...Array.from({ length: lost }, () => 'posts' as const), ...unreadableDates(kept)]),
      beside: {
        ...(channel === undefined ? {} : { channel: sanitizeRecord(community.channelItem, channel) }),
        ...(kept.length === 0 && page === 1 && items.length === 0 ? { note: emptyPostsNote(asked, now()) } : {}),
        ...strays,
      },
    });
  },
});

export const searchPosts = defineTool({
  ...oneChannel,
  input: z.strictObject({
    id_or_slug: idOrSlug('Channel, from search_channels; default all').optional(),
    author: limitedText(200).trim().min(1).describe('Part of a name, or slug').optional(),
    ...community.searchPosts.query,
    max_requests: given.maxRequests,
  }),
  run: async (asked, context) => {
    const { id_or_slug, max_requests, page = 1, per_page = defaultPerPage, ...question } = asked;
    if (id_or_slug !== undefined && !isSelectedHere(question)) return await oneChannel.run(asked, context);
    const channel = id_or_slug === undefined ? undefined : String(id_or_slug);
    const maxRequests = await requestsAllowed(max_requests, context);
    const reading = await searchAllChannels({ ...question, channel, maxRequests }, context);
    const found = { page, per_page, question: { ...question, id_or_slug }, maxRequests: max_requests };
    return presentAllChannels(reading, found, context);
  },
});
