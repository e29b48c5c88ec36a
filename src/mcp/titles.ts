import type { Api } from '../api/api.ts';
import { getBundle } from '../contract/bundles.ts';
import { getChannel, listCommunityGroups } from '../contract/community.ts';
import { getCourse, getCourseStructure, listRoles } from '../contract/courses.ts';
import { getProduct, type productTypes } from '../contract/products.ts';
import { oneLine } from '../shared/clean-text.ts';
import type { Json } from '../shared/json.ts';
import { quoted } from '../shared/quote-text.ts';
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

/** What is needed to look a title up. */
export type LookupContext = Pick<ToolContext, 'api' | 'signal' | 'budget' | 'courseOfLesson'>;

/** Reads one title, by one request. */
type Look = (api: Api) => Promise<string | undefined>;

function numberIn(input: Json, name: string): number | undefined {
  const value = input[name];
  return typeof value === 'number' ? value : undefined;
}

const titleIn = <Item extends { id?: number | undefined }>(items: readonly Item[], id: number) =>
  items.find((item) => item.id === id);

/** The course that shows a module or a lesson. */
function courseOf(input: Json, { courseOfLesson }: LookupContext): number | undefined {
  const lesson = numberIn(input, 'lesson_id');
  return numberIn(input, 'course_id') ?? (lesson === undefined ? undefined : courseOfLesson(lesson));
}

function courseLook(course_id: number, { module_id }: Json): Look {
  // The structure shows the title of a module too: one request for both.
  if (typeof module_id === 'number') {
    return async (api) => (await api.call(getCourseStructure, { course_id })).course?.title;
  }
  return async (api) => (await api.call(getCourse, { course_id })).title;
}

function moduleLook(module: number, input: Json, context: LookupContext): Look | undefined {
  const course_id = courseOf(input, context);
  if (course_id === undefined) return undefined;
  return async (api) => {
    const { modules = [] } = await api.call(getCourseStructure, { course_id });
    return titleIn(modules, module)?.title;
  };
}

function lessonLook(lesson: number, input: Json, context: LookupContext): Look | undefined {
  const course_id = courseOf(input, context);
  if (course_id === undefined) return undefined;
  return async (api) => {
    const { modules = [], ungrouped_lessons: loose = [] } = await api.call(getCourseStructure, { course_id });
    return titleIn([...modules.flatMap(({ lessons = [] }) => lessons), ...loose], lesson)?.title;
  };
}

/** The record of a tool with `id_or_slug`: a product where a type is given too, else a channel. */
function recordLook(id_or_slug: string, { product_type }: Json): Look {
  const type = product_type as (typeof productTypes)[number] | undefined;
  if (type === undefined) return async (api) => (await api.call(getChannel, { id_or_slug })).name;
  return async (api) => (await api.call(getProduct, { product_type: type, id_or_slug })).title;
}

const looks: Readonly<Record<string, (id: number, input: Json, context: LookupContext) => Look | undefined>> = {
  course_id: (id, input) => courseLook(id, input),
  bundle_id: (bundle_id) => async (api) => (await api.call(getBundle, { bundle_id })).title,
  role_id: (id) => async (api) => titleIn((await api.call(listRoles, {})).items, id)?.name,
  group_id: (id) => async (api) => titleIn((await api.call(listCommunityGroups, {})).items, id)?.name,
  module_id: moduleLook,
  lesson_id: lessonLook,
};

function lookFor(name: string, input: Json, context: LookupContext): Look | undefined {
  const value = input[name];
  if (name === 'id_or_slug' && typeof value === 'string') return recordLook(value, input);
  return typeof value === 'number' ? looks[name]?.(value, input, context) : undefined;
}

/** Arguments whose value says nothing to a person without a title. */
export function isTitled(name: string): boolean {
  return name === 'id_or_slug' || Object.hasOwn(looks, name);
}

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
export async function titlesOf(names: readonly string[], input: Json, context: LookupContext): Promise<Titles> {
  const open = names.flatMap((name) => {
    const look = lookFor(name, input, context);
    return look === undefined ? [] : [{ name, look }];
  });
  if (open.length === 0 || !isAffordable(context, open.length)) return {};
  const api = brieflyOn(context, patience);
  const read = await Promise.all(open.map(async ({ name, look }) => [name, await look(api).catch(() => undefined)]));
  return Object.fromEntries(read.filter(([, title]) => typeof title === 'string' && title.trim() !== ''));
}

/** `course_title` of `course_id`. */
export function titleKey(name: string): string {
  return name === 'id_or_slug' ? 'title' : name.replace(/_id$/, '_title');
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
