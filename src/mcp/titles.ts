import type { Api } from '../api/api.ts';
import { nothingSentError } from '../api/writes/write.ts';
import { type OldValues, oldValuesLookup, titleLookup } from '../contract/lookups.ts';
import type { Operation } from '../contract/operation.ts';
import type { ListedProduct } from '../insights/sales/sold-order.ts';
import { oneLine } from '../shared/clean-text.ts';
import { deadline } from '../shared/deadline.ts';
import { AcademyError, type ErrorCode } from '../shared/errors.ts';
import type { Json } from '../shared/json.ts';
import { quoted } from '../shared/quote-text.ts';
import type { Titles, ToolContext } from './tool.ts';

const maxTitle = 200;

export const quotedName = (name: string, limit = maxTitle): string => quoted(oneLine(name, limit));

/** `course 7 "Watercolour"`; without a title the id alone. */
export function called(kind: string, id: number | string, title: string | undefined): string {
  return title === undefined ? `${kind} ${id}` : `${kind} ${id} ${quotedName(title)}`;
}

export function productNamed({ kind, id, title }: Pick<ListedProduct, 'kind' | 'id' | 'title'>): string {
  return called(kind.replace('_', ' '), id, title);
}

type LookupContext = Pick<ToolContext, 'api' | 'courseOfLesson'>;

/** Requests that stay free for other calls, so that no lookup makes them wait. */
const reservedRequests = 2;

/** Whether this number of requests can be sent now without making another call wait. */
export function isAffordable({ budget }: Pick<ToolContext, 'budget'>, requests: number): boolean {
  const { remaining, queued } = budget();
  return remaining === undefined || (queued === 0 && remaining >= requests + reservedRequests);
}

/** The same API, whose calls end with the tool call or after this time. */
export function withDeadline({ api, signal }: Pick<ToolContext, 'api' | 'signal'>, milliseconds: number): Api {
  const { signal: end } = deadline(milliseconds, signal);
  return { call: (operation, input, options = {}) => api.call(operation, input, { ...options, signal: end }) };
}

/** How long an answer waits for a title, in milliseconds. */
const maxWaitMs = 3_000;

/** Titles of the records that these arguments name, by one concurrent request each, unless it would wait for the limit or fails. */
export async function titlesOf(
  names: readonly string[],
  input: Json,
  context: LookupContext & Pick<ToolContext, 'signal' | 'budget'>,
): Promise<Titles> {
  const open = names.flatMap((name) => {
    const read = titleLookup(name, input)?.(input, context.courseOfLesson);
    return read === undefined ? [] : [{ name, read }];
  });
  if (open.length === 0 || !isAffordable(context, open.length)) return {};
  const api = withDeadline(context, maxWaitMs);
  const titles = await Promise.all(open.map(async ({ name, read }) => [name, await read(api).catch(() => undefined)]));
  return Object.fromEntries(titles.filter(([, title]) => typeof title === 'string' && title.trim() !== ''));
}

/** `course_title` for `course_id`, and `title` for an argument that addresses the record itself. */
const titleKey = (name: string): string => (name.endsWith('_id') ? name.replace(/_id$/, '_title') : 'title');

export function withTitles(data: Json, titles: Titles): Json {
  const fieldOf = (name: string): [string, unknown][] => {
    // An answer may have a key such as __proto__.
    const title = Object.hasOwn(titles, name) ? titles[name] : undefined;
    const key = titleKey(name);
    return title === undefined || Object.hasOwn(data, key) ? [] : [[key, oneLine(title, maxTitle)]];
  };
  const beside = Object.entries(data).flatMap((entry) => [entry, ...fieldOf(entry[0])]);
  const alone = Object.keys(titles).filter((name) => !Object.hasOwn(data, name));
  return Object.fromEntries([...beside, ...alone.flatMap(fieldOf)]);
}

/** After these errors of the read, the update is not sent: it would wait for the same limit, or the caller has left. */
const endingCodes: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'cancelled', 'unauthorized']);

/** The values that an update is about to overwrite. Undefined after an identical one of unknown outcome: they may be its own. */
export async function readBeforeUpdate(
  operation: Operation,
  input: Json,
  context: ToolContext,
): Promise<OldValues | undefined> {
  if (await context.isOutcomeUnknown(operation, input)) return undefined;
  try {
    return await oldValuesOf(operation)?.(input, context);
  } catch (error) {
    if (!(error instanceof AcademyError)) throw error;
    if (endingCodes.has(error.code)) throw nothingSentError(error);
    return { values: {} };
  }
}

/** Reads the values that an update overwrites, by at most one request; undefined for an operation that overwrites nothing. */
export function oldValuesOf({ id }: Operation) {
  const lookup = oldValuesLookup(id);
  if (lookup === undefined) return undefined;
  return async (input: Json, { api, courseOfLesson }: LookupContext): Promise<OldValues> =>
    (await lookup(input, courseOfLesson)?.(api)) ?? { values: {} };
}
