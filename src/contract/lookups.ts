import { isObject, type Json } from '../shared/json.ts';
import { getBundle } from './bundles.ts';
import { getChannel, groupIdOf, listCommunityGroups } from './community.ts';
import { getCourse, getCourseStructure, listRoles } from './courses.ts';
import type { AnyOperation } from './index.ts';
import type { AnswerOf, InputOf, Operation } from './operation.ts';
import { getProduct, type ProductType } from './products.ts';

/** The arguments of a call, by name. */
type Arguments = Readonly<Record<string, unknown>>;

/** The course of a lesson, if a course structure has shown the lesson: the API has no request for it. */
export type CourseOfLesson = (lessonId: number) => number | undefined;

interface Reader {
  call<O extends Operation>(operation: O, input: InputOf<O>): Promise<AnswerOf<O>>;
}

/** Prepares one read request about the record that the arguments name; undefined if they do not determine it. */
type RecordLookup<Value> = (
  args: Arguments,
  courseOfLesson: CourseOfLesson,
) => ((api: Reader) => Promise<Value | undefined>) | undefined;

/** `value`: what to take from the answer. */
function lookup<O extends Operation, Value>(
  operation: O,
  input: (args: Arguments, courseOfLesson: CourseOfLesson) => InputOf<O> | undefined,
  value: (answer: AnswerOf<O>, args: Arguments) => Value | undefined,
): RecordLookup<Value> {
  return (args, courseOfLesson) => {
    const query = input(args, courseOfLesson);
    return query && (async (api) => value(await api.call(operation, query), args));
  };
}

type Structure = AnswerOf<typeof getCourseStructure>;

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

const noInput = () => ({});
const inStructure = (title: (structure: Structure, args: Arguments) => string | undefined): TitleLookup =>
  lookup(getCourseStructure, structureInput, title);

const courseTitle = lookup(
  getCourse,
  ({ course_id }) => ({ course_id: Number(course_id) }),
  ({ title }) => title,
);
/** The structure shows the title of a module too: one request for both. */
const courseTitleInStructure = inStructure(({ course }) => course?.title);
const channelName = lookup(getChannel, channelInput, ({ name }) => name);
const productTitle = lookup(getProduct, productInput, ({ title }) => title);

const titleLookups: Readonly<Record<string, TitleLookup>> = {
  course_id: (args, ...more) =>
    (typeof args.module_id === 'number' ? courseTitleInStructure : courseTitle)(args, ...more),
  bundle_id: lookup(
    getBundle,
    ({ bundle_id }) => ({ bundle_id: Number(bundle_id) }),
    ({ title }) => title,
  ),
  role_id: lookup(listRoles, noInput, ({ items }, { role_id }) => withId(items, role_id)?.name),
  group_id: lookup(listCommunityGroups, noInput, ({ items }, { group_id }) => withId(items, group_id)?.name),
  module_id: inStructure(({ modules = [] }, { module_id }) => withId(modules, module_id)?.title),
  lesson_id: inStructure((structure, { lesson_id }) => withId(lessonsOf(structure), lesson_id)?.title),
  id_or_slug: (args, ...more) => (args.product_type === undefined ? channelName : productTitle)(args, ...more),
};

/** Whether a person needs a title to recognize the record that this argument names. */
export function isTitled(argument: string): boolean {
  return Object.hasOwn(titleLookups, argument);
}

/** How to read the title of the record that an argument names; undefined if it names none. */
export function titleLookup(argument: string, args: Arguments): TitleLookup | undefined {
  const value = args[argument];
  const isGiven = typeof value === 'number' || typeof value === 'string';
  return isGiven && isTitled(argument) ? titleLookups[argument] : undefined;
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

/** How to read what an update overwrites: one request for each operation that updates a record. */
const oldValueLookups: Readonly<Record<UpdateId, RecordLookup<OldValues>>> = {
  'courses.updateLesson': lookup(getCourseStructure, structureInput, (structure, { lesson_id }) => {
    const lesson = withId(lessonsOf(structure), lesson_id);
    if (lesson === undefined) return undefined;
    const { title, sequence, is_published, lesson_type, module_id } = lesson;
    return { values: shownFields({ title, sequence, is_published, lesson_type, module_id }) };
  }),
  'products.updateProduct': lookup(getProduct, productInput, (product) => {
    const { id, title, attributes, truncated_attributes: cut = [] } = product;
    return { values: shownFields({ title, attributes }), id, cut };
  }),
  'community.updateChannel': lookup(getChannel, channelInput, ({ id, name, description, locked, group }) => {
    return { values: shownFields({ name, description, locked, group }), id };
  }),
};

/** Undefined for an operation that overwrites nothing. */
export function oldValuesLookup(operationId: string): RecordLookup<OldValues> | undefined {
  return (oldValueLookups as Partial<Record<string, RecordLookup<OldValues>>>)[operationId];
}
