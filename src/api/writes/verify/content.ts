import type * as z from 'zod';
import { createChannel, getChannel, groupIdOf, searchChannels, updateChannel } from '../../../contract/community.ts';
import { createLesson, getCourseStructure, updateLesson } from '../../../contract/courses.ts';
import { argumentSchema, type Operation } from '../../../contract/operation.ts';
import { getProduct, updateProduct } from '../../../contract/products.ts';
import { isDateOrTime } from '../../../contract/schemas/date-time.ts';
import { type FieldFormat, formatOf } from '../../../contract/schemas/field-format.ts';
import type { lessonSummary } from '../../../contract/schemas/lesson.ts';
import type { Tolerant } from '../../../contract/schemas/response.ts';
import { timeOf } from '../../../insights/api-time.ts';
import type { Api } from '../../api.ts';
import { cannotTell, notSeen, type Verification, type Verifier } from './verifier.ts';

type Lesson = Tolerant<z.infer<typeof lessonSummary>> & { module_id: number | null };

/** The lessons of a course, and whether all could be read. Only then a lesson that is not among them does not exist. */
async function lessonsOf(api: Api, courseId: number): Promise<{ lessons: Lesson[]; areAll: boolean }> {
  const { modules, ungrouped_lessons: loose } = await api.call(getCourseStructure, { course_id: courseId });
  const grouped = (modules ?? []).flatMap(({ id = null, lessons = [] }) =>
    lessons.map((lesson) => ({ ...lesson, module_id: id })),
  );
  const lessons = [...grouped, ...(loose ?? []).map((lesson) => ({ ...lesson, module_id: null }))];
  const areListed = (modules !== undefined || loose !== undefined) && (modules ?? []).every((module) => module.lessons);
  return { lessons, areAll: areListed && lessons.every(({ id, title }) => id !== undefined && title !== undefined) };
}

const isDecimal = (text: string) => /^\d+(\.\d+)?$/.test(text);

/**
 * The API may write decimals and times in another form: "49.5" comes back as "49.50". A title is compared letter by
 * letter.
 */
function isSame(meaning: FieldFormat | undefined, given: unknown, shown: unknown): boolean {
  if (typeof given !== 'string' || typeof shown !== 'string') return given === shown;
  const both = [given, shown];
  if (meaning === 'decimal' && both.every(isDecimal)) return Number(given) === Number(shown);
  if (meaning === 'time' && both.every(isDateOrTime)) return timeOf(given) === timeOf(shown);
  return given === shown;
}

/** Compares the arguments of a call with a record. A field that the record does not show leaves the result open. */
function compare(operation: Operation, given: object, shown: object, where: string): Verification {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  const now = new Map<string, unknown>(Object.entries(shown));
  const differs = ([name, value]: [string, unknown]) =>
    now.has(name) && !isSame(formatOf(argumentSchema(operation, name)), value, now.get(name));
  if (fields.some(differs)) return notSeen;
  return fields.every(([name]) => now.has(name)) ? { state: 'seen', record: shown, where } : cannotTell;
}

interface Creation {
  readonly operation: Operation;
  readonly kind: string;
  readonly where: string;
}
const lessonCreation: Creation = { operation: createLesson, kind: 'lesson', where: 'get_course_structure' };
const channelCreation: Creation = { operation: createChannel, kind: 'channel', where: 'search_channels' };

/** The verification of a create by the name of the record. `given`: all arguments. */
function foundByName(
  { operation, kind, where }: Creation,
  given: object,
  record: { id?: number | undefined },
): Verification {
  const isIdentical = compare(operation, given, record, where).state === 'seen';
  return { state: 'seen', record, where, found: `${kind} ${record.id ?? ''} of that name`, isIdentical };
}

/** A lesson with this title in this place counts as the new one: the API gives no time of creation. */
export const verifyLessonCreation: Verifier<typeof createLesson> = async ({ course_id: course, ...given }, { api }) => {
  const { title, module_id: module = null } = given;
  const { lessons, areAll } = await lessonsOf(api, course);
  const lesson = lessons.find((other) => other.title === title && other.module_id === module);
  if (lesson === undefined) return areAll ? notSeen : cannotTell;
  return foundByName(lessonCreation, given, lesson);
};

export const verifyLessonUpdate: Verifier<typeof updateLesson> = async ({ lesson_id: id, ...given }, context) => {
  const course = context.courseOfLesson(id);
  if (course === undefined) return cannotTell;
  const lesson = (await lessonsOf(context.api, course)).lessons.find((other) => other.id === id);
  return lesson === undefined ? cannotTell : compare(updateLesson, given, lesson, 'get_course_structure');
};

export const verifyProductUpdate: Verifier<typeof updateProduct> = async (input, { api }) => {
  const { product_type, id_or_slug, ...given } = input;
  const product = await api.call(getProduct, { product_type, id_or_slug });
  const { attributes = {}, truncated_attributes: cut = [], ...own } = product;
  // A cut attribute is compared up to the cut.
  const shortened = Object.entries(given).map(([name, value]) => [
    name,
    cut.includes(name) && typeof value === 'string' ? value.slice(0, 4_000) : value,
  ]);
  return compare(updateProduct, Object.fromEntries(shortened), { ...own, ...attributes }, 'get_product');
};

export const verifyChannelCreation: Verifier<typeof createChannel> = async (given, { api }) => {
  const { name } = given;
  const { items } = await api.call(searchChannels, { query: name.slice(0, 255), limit: 50 });
  const channel = items.find((other) => other.name === name);
  if (channel === undefined) return items.every((other) => other.name !== undefined) ? notSeen : cannotTell;
  return foundByName(channelCreation, given, channel);
};

export const verifyChannelUpdate: Verifier<typeof updateChannel> = async ({ id_or_slug, ...given }, { api }) => {
  const { group, ...channel } = await api.call(getChannel, { id_or_slug });
  const group_id = groupIdOf(group) ?? undefined;
  const shown = group_id === undefined ? channel : { ...channel, group_id };
  return compare(updateChannel, given, shown, 'get_channel');
};
