import type { Api } from '../../api/api.ts';
import { whyNotWhole } from '../../api/http/answer-facts.ts';
import { recordFailureOf } from '../../api/partial-failure.ts';
import { listCommunityGroups, searchChannels } from '../../contract/community.ts';
import { isPathSegment } from '../../contract/schemas/input-fields.ts';
import type { ToolContext } from '../../mcp/tool.ts';

/** API document: "Limits". */
export const maxChannels = 50;

/** The number of channels that the API lists if it ignores the limit. API document: "Limits". */
const defaultChannels = 25;

export interface ChannelList {
  readonly channels: readonly string[];
  /** There may be more channels than these. */
  readonly isCut: boolean;
  /** Entries of the list without a usable id or slug. */
  readonly nameless: number;
}

const isId = (name: string) => /^\d+$/.test(name);

/** How many channels the groups count together; 0 if the API does not show them. */
async function countGrouped(api: Api): Promise<number> {
  const { items } = await api.call(listCommunityGroups, {}).catch((error: unknown) => {
    if (recordFailureOf(error, false) === undefined) throw error;
    return { items: [] };
  });
  return items.reduce((sum, { channel_count = 0 }) => sum + channel_count, 0);
}

/**
 * Every channel if `named` is undefined. Lists each channel once, even one that is named by its id and its slug. `requests`: the
 * most that may be sent. With one, nothing tells whether the list has every channel of the groups.
 */
export async function findChannels(
  named: readonly string[] | undefined,
  { api }: Pick<ToolContext, 'api'>,
  requests = Number.POSITIVE_INFINITY,
): Promise<ChannelList> {
  const isOneForm = named?.every(isId) === true || named?.some(isId) === false;
  const whole = { isCut: false, nameless: 0 };
  if (named !== undefined && isOneForm) return { ...whole, channels: [...new Set(named)] };
  const [{ items }, grouped] = await Promise.all([
    api.call(searchChannels, { limit: maxChannels }),
    named === undefined && requests > 1 ? countGrouped(api) : 0,
  ]);
  if (named !== undefined) {
    const slugs = new Map(items.map(({ id, slug }) => [String(id), slug]));
    return { ...whole, channels: [...new Set(named.map((name) => slugs.get(name) ?? name))] };
  }
  const usable = items.flatMap(({ slug = '', id }) =>
    isPathSegment(slug) ? slug : id === undefined ? [] : [String(id)],
  );
  const isFull = items.length >= maxChannels || items.length === defaultChannels;
  const isCut = isFull || whyNotWhole(items) !== undefined || items.length < grouped;
  return { channels: [...new Set(usable)], isCut, nameless: items.length - usable.length };
}
