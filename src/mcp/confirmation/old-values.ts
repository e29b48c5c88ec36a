import { getChannel, updateChannel } from '../../contract/community.ts';
import { getCourseStructure, updateLesson } from '../../contract/courses.ts';
import type { Operation } from '../../contract/operation.ts';
import { getProduct, type productTypes, updateProduct } from '../../contract/products.ts';
import type { Json } from '../../shared/json.ts';
import type { LookupContext } from '../titles.ts';
import type { OldValues } from '../tool.ts';

type ReadOld = (input: Json, sight: LookupContext) => Promise<OldValues>;

/** Missing where the API shows nothing; null is a value. */
function known(values: Json): Json {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

async function ofProduct({ product_type, id_or_slug }: Json, { api }: LookupContext): Promise<OldValues> {
  const question = { product_type: product_type as (typeof productTypes)[number], id_or_slug: String(id_or_slug) };
  const { title, attributes = {}, truncated_attributes: cut = [] } = await api.call(getProduct, question);
  return { values: known({ title, ...attributes }), cut };
}

async function ofChannel({ id_or_slug }: Json, { api }: LookupContext): Promise<OldValues> {
  const { name, description, locked, group } = await api.call(getChannel, { id_or_slug: String(id_or_slug) });
  return { values: known({ name, description, locked, group_id: group === null ? null : group?.id }) };
}

/** Only the structure of its course shows a lesson, and which course that is only where it has been read before. */
async function ofLesson({ lesson_id }: Json, { api, courseOfLesson }: LookupContext): Promise<OldValues> {
  const course_id = courseOfLesson(Number(lesson_id));
  if (course_id === undefined) return { values: {} };
  const { modules = [], ungrouped_lessons: loose = [] } = await api.call(getCourseStructure, { course_id });
  const places = [
    ...modules.flatMap(({ id, lessons = [] }) => lessons.map((lesson) => ({ ...lesson, module_id: id }))),
    ...loose.map((lesson) => ({ ...lesson, module_id: null })),
  ];
  const lesson = places.find(({ id }) => id === lesson_id);
  if (lesson === undefined) return { values: {} };
  const { title, sequence, is_published, lesson_type, module_id } = lesson;
  return { values: known({ title, sequence, is_published, lesson_type, module_id }) };
}

const readers: Readonly<Record<string, ReadOld>> = {
  [updateProduct.id]: ofProduct,
  [updateChannel.id]: ofChannel,
  [updateLesson.id]: ofLesson,
};

/** How to read what an update will overwrite; undefined for what overwrites nothing. At most one request. */
export function oldValuesOf({ id }: Operation): ReadOld | undefined {
  return readers[id];
}
