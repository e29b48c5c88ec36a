import { type Call, failure, ok, type Reply } from './call.ts';
import type { Academy, Page, PageQuestion } from './rules.ts';
import type { Json } from './state.ts';

export function cut(all: readonly Json[], page: number, size: number): Json[] {
  return all.slice((page - 1) * size, page * size);
}

export function metaOf({ list, all, page, size }: Pick<PageQuestion, 'list' | 'all' | 'page' | 'size'>): Json {
  const total_pages = Math.max(1, Math.ceil(all.length / size));
  return { current_page: page, per_page: size, total_pages, [`total_${list}`]: all.length };
}

const isReply = (given: Page | Reply): given is Reply => 'status' in given;

/** A page of a list, under the key of the list, with its meta block. */
export function paged(
  question: Omit<PageQuestion, 'page' | 'call' | 'academy'>,
  call: Call,
  academy: Academy,
  more: Json = {},
): Reply {
  const page = Number(call.query.page ?? 1);
  if (!Number.isInteger(page) || page < 1) return failure(422, 'invalid_parameter', 'page is not valid');
  const whole: PageQuestion = { ...question, page, call, academy };
  let shown: Page | Reply = { shown: cut(question.all, page, question.size), meta: metaOf(whole) };
  for (const rules of academy.rules) {
    if (!isReply(shown)) shown = rules.page?.(shown, whole) ?? shown;
  }
  if (isReply(shown)) return shown;
  return ok({ [question.list]: shown.shown, ...more, ...(shown.meta === undefined ? {} : { meta: shown.meta }) });
}

/** Whether a time lies within created_after and created_before; both are inclusive unless a switch says otherwise. */
export function isWithin(at: number, { query }: Call, { rules }: Academy): boolean {
  const { created_after: after, created_before: before } = query;
  const own = rules.findLast(({ within }) => within !== undefined)?.within;
  if (own !== undefined) return own(at, after, before);
  return (after === undefined || at >= Date.parse(after)) && (before === undefined || at <= Date.parse(before));
}
