import { getBundle } from '../bundles.ts';
import { getChannel, listCommunityGroups } from '../community.ts';
import { getCourse, getCourseStructure, listRoles } from '../courses.ts';
import { getProduct } from '../products.ts';
import {
  type Arguments,
  channelInput,
  defineLookup,
  lessonsOf,
  productInput,
  type RecordLookup,
  structureInput,
} from './record-lookup.ts';

type TitleLookup = RecordLookup<string>;

const withId = <Item extends { id?: number | undefined }>(items: readonly Item[], id: unknown) =>
  items.find((item) => item.id === id);

const courseTitle = defineLookup({
  operation: getCourse,
  input: ({ course_id }) => ({ course_id: Number(course_id) }),
  value: ({ title }) => title,
});

/** The structure shows the title of a module too: one request for both. */
const courseTitleInStructure = defineLookup({
  operation: getCourseStructure,
  input: structureInput,
  value: ({ course }) => course?.title,
});

const moduleTitle = defineLookup({
  operation: getCourseStructure,
  input: structureInput,
  value: ({ modules = [] }, { module_id }) => withId(modules, module_id)?.title,
});

const lessonTitle = defineLookup({
  operation: getCourseStructure,
  input: structureInput,
  value: (structure, { lesson_id }) => withId(lessonsOf(structure), lesson_id)?.title,
});

const bundleTitle = defineLookup({
  operation: getBundle,
  input: ({ bundle_id }) => ({ bundle_id: Number(bundle_id) }),
  value: ({ title }) => title,
});

const roleName = defineLookup({
  operation: listRoles,
  input: () => ({}),
  value: ({ items }, { role_id }) => withId(items, role_id)?.name,
});

const groupName = defineLookup({
  operation: listCommunityGroups,
  input: () => ({}),
  value: ({ items }, { group_id }) => withId(items, group_id)?.name,
});

const channelName = defineLookup({
  operation: getChannel,
  input: channelInput,
  value: ({ name }) => name,
});

const productTitle = defineLookup({
  operation: getProduct,
  input: productInput,
  value: ({ title }) => title,
});

const lookups: Readonly<Record<string, (given: Arguments) => TitleLookup>> = {
  course_id: ({ module_id }) => (typeof module_id === 'number' ? courseTitleInStructure : courseTitle),
  bundle_id: () => bundleTitle,
  role_id: () => roleName,
  group_id: () => groupName,
  module_id: () => moduleTitle,
  lesson_id: () => lessonTitle,
  id_or_slug: ({ product_type }) => (product_type === undefined ? channelName : productTitle),
};

/** Whether a person needs a title to recognize the record that this argument names. */
export function isTitled(argument: string): boolean {
  return Object.hasOwn(lookups, argument);
}

/** How to read the title of the record that an argument names; undefined if it names none. */
export function titleLookup(argument: string, given: Arguments): TitleLookup | undefined {
  const value = given[argument];
  const isGiven = typeof value === 'number' || typeof value === 'string';
  return isGiven && isTitled(argument) ? lookups[argument]?.(given) : undefined;
}
