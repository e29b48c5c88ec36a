import type { Api } from '../api/api.ts';
import { titleLookup } from '../contract/titles.ts';
import { oneLine } from '../shared/clean-text.ts';
import type { Json } from '../shared/json.ts';
import { quoted } from '../shared/quote-text.ts';
import { prepareLookup } from './prepare-lookup.ts';
import type { Titles, ToolContext } from './tool.ts';

const maxTitle = 200;

/** A name as one short line in quotes. */
export function quotedName(name: string, limit = maxTitle): string {
  return quoted(oneLine(name, limit));
}

/** `course 7 "Watercolour"`; without a title the id alone. */
export function called(kind: string, id: number | string, title: string | undefined): string {
  return title === undefined ? `${kind} ${id}` : `${kind} ${id} ${quotedName(title)}`;
}

/** What reading titles takes. */
type TitleContext = Pick<ToolContext, 'api' | 'signal' | 'budget' | 'recordIndex'>;

/** Requests that are left to others, so that no look-up makes one of theirs wait. */
const reserve = 2;

/** Whether so many requests could leave at this moment without making anybody wait. */
export function isAffordable({ budget }: Pick<ToolContext, 'budget'>, requests: number): boolean {
  const { remaining, queued } = budget();
  return remaining === undefined || (queued === 0 && remaining >= requests + reserve);
}

/** The same API, for reads that nobody waits for longer than this: they end with the call or after the time. */
export function brieflyOn({ api, signal }: Pick<ToolContext, 'api' | 'signal'>, milliseconds: number): Api {
  const end = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  return { call: (operation, input, options = {}) => api.call(operation, input, { ...options, signal: end }) };
}

/** Milliseconds that an answer may wait for a title. */
const patience = 3_000;

/**
 * Titles of what these arguments name, one request each, at the same time. A title is a courtesy: where the account's
 * limit would make anybody wait, or a look-up fails, it is left out, and nothing else changes.
 */
export async function titlesOf(names: readonly string[], input: Json, context: TitleContext): Promise<Titles> {
  const open = names.flatMap((name) => {
    const lookup = titleLookup(name, input);
    const read = lookup && prepareLookup(lookup, input, context.recordIndex);
    return read === undefined ? [] : [{ name, read }];
  });
  if (open.length === 0 || !isAffordable(context, open.length)) return {};
  const api = brieflyOn(context, patience);
  const titles = await Promise.all(open.map(async ({ name, read }) => [name, await read(api).catch(() => undefined)]));
  return Object.fromEntries(titles.filter(([, title]) => typeof title === 'string' && title.trim() !== ''));
}

/** `course_title` of `course_id`, and `title` of an argument that addresses the record itself. */
export function titleKey(name: string): string {
  return name.endsWith('_id') ? name.replace(/_id$/, '_title') : 'title';
}

/** An answer's facts with the title of each id beside it. */
export function withTitles(data: Json, titles: Titles): Json {
  const fieldOf = (name: string): [string, unknown][] => {
    const title = titles[name];
    return title === undefined || Object.hasOwn(data, titleKey(name))
      ? []
      : [[titleKey(name), oneLine(title, maxTitle)]];
  };
  const beside = Object.entries(data).flatMap(([name, value]): [string, unknown][] => [
    [name, value],
    ...fieldOf(name),
  ]);
  const alone = Object.keys(titles).filter((name) => !Object.hasOwn(data, name));
  return Object.fromEntries([...beside, ...alone.flatMap(fieldOf)]);
}
