import { isObject, type Json } from '../shared/json.ts';
import { getBundle } from './bundles.ts';
import { getChannel, groupIdOf, listCommunityGroups } from './community.ts';
import { getCourse, getCourseStructure, listRoles } from './courses.ts';
import type { AnyOperation } from './index.ts';
import type { InputOf, Operation } from './operation.ts';
import { getProduct, type ProductType } from './products.ts';
import type { ParsedResponse } from './schemas/response.ts';

/** The arguments of a call, by name. */
type Arguments = Readonly<Record<string, unknown>>;

/** The course of a lesson, if a course structure has shown the lesson: the API has no request for it. */
export type CourseOfLesson = (lessonId: number) => number | undefined;

/** A read request about the record that a call's arguments name, and what to take from its answer. */
export interface RecordLookup<Value> {
  readonly operation: Operation;
  /** The input of the request; undefined if the arguments do not determine it. */
  readonly input: (given: Arguments, courseOfLesson: CourseOfLesson) => Arguments | undefined;
  /** Undefined if the answer does not show the record. */
  readonly value: (answer: unknown, given: Arguments) => Value | undefined;
}

/** Checks the types of a lookup against its operation. `value` is only called with an answer of that operation. */
function defineLookup<O extends Operation, Value>(lookup: {
  readonly operation: O;
  readonly input: (given: Arguments, courseOfLesson: CourseOfLesson) => InputOf<O> | undefined;
  readonly value: (answer: ParsedResponse<O['response']>, given: Arguments) => Value | undefined;
}): RecordLookup<Value> {
  return lookup as RecordLookup<Value>;
}

type Structure = ParsedResponse<(typeof getCourseStructure)['response']>;

/** The input of `getCourseStructure` for the course that the arguments name, or for the course of their lesson. */
function structureInput({ course_id, lesson_id }: Arguments, courseOfLesson: CourseOfLesson) {
  if (typeof course_id === 'number') return { course_id };
  const course = typeof lesson_id === 'number' ? courseOfLesson(lesson_id) : undefined;
  return course === undefined ? undefined : { course_id: course };
}

/** Every lesson of a structure with the id of its module, null for a lesson in no module. */
export function lessonsOf({ modules = [], ungrouped_lessons: ungrouped = [] }: Structure) {
  return [
    ...modules.flatMap(({ id, lessons = [] }) => lessons.map((lesson) => ({ ...lesson, module_id: id }))),
    ...ungrouped.map((lesson) => ({ ...lesson, module_id: null })),
  ];
}

/** The address of a product. The schema of the tool has checked its type. */
function productInput({ product_type, id_or_slug }: Arguments) {
  return { product_type: product_type as ProductType, id_or_slug: String(id_or_slug) };
}

function channelInput({ id_or_slug }: Arguments) {
  return { id_or_slug: String(id_or_slug) };
}

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

const titleLookups: Readonly<Record<string, (given: Arguments) => TitleLookup>> = {
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
  return Object.hasOwn(titleLookups, argument);
}

/** How to read the title of the record that an argument names; undefined if it names none. */
export function titleLookup(argument: string, given: Arguments): TitleLookup | undefined {
  const value = given[argument];
  const isGiven = typeof value === 'number' || typeof value === 'string';
  return isGiven && isTitled(argument) ? titleLookups[argument]?.(given) : undefined;
}

/** The values that an update overwrites. A missing field could not be read; null is a value. */
export interface OldValues {
  readonly values: Arguments;
  /** Of a record that a call may also name by its slug. */
  readonly id?: number | undefined;
  /** Fields whose beginning alone the API shows. */
  readonly cut?: readonly string[] | undefined;
}

type UpdateId = Extract<AnyOperation, { effect: 'update' }>['id'];

/** The fields of a record by the names of the arguments that set them: attributes and a group are objects in their record. */
export function shownFields({ attributes, group, ...own }: Json): Json {
  const all = { group_id: groupIdOf(group), ...own, ...(isObject(attributes) ? attributes : {}) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const ofLesson = defineLookup({
  operation: getCourseStructure,
  input: structureInput,
  value: (structure, { lesson_id }): OldValues | undefined => {
    const lesson = lessonsOf(structure).find(({ id }) => id === lesson_id);
    if (lesson === undefined) return undefined;
    const { title, sequence, is_published, lesson_type, module_id } = lesson;
    return { values: shownFields({ title, sequence, is_published, lesson_type, module_id }) };
  },
});

const ofProduct = defineLookup({
  operation: getProduct,
  input: productInput,
  value: ({ id, title, attributes, truncated_attributes: cut = [] }): OldValues => ({
    values: shownFields({ title, attributes }),
    id,
    cut,
  }),
});

const ofChannel = defineLookup({
  operation: getChannel,
  input: channelInput,
  value: ({ id, name, description, locked, group }): OldValues => ({
    values: shownFields({ name, description, locked, group }),
    id,
  }),
});

/** How to read what an update overwrites: one request for each operation that updates a record. */
const oldValueLookups: Readonly<Record<UpdateId, RecordLookup<OldValues>>> = {
  'courses.updateLesson': ofLesson,
  'products.updateProduct': ofProduct,
  'community.updateChannel': ofChannel,
};

/** Undefined for an operation that overwrites nothing. */
export function oldValuesLookup(operationId: string): RecordLookup<OldValues> | undefined {
  return new Map<string, RecordLookup<OldValues>>(Object.entries(oldValueLookups)).get(operationId);
}
