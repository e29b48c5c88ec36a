import { getChannel, groupIdOf } from '../community.ts';
import { getCourseStructure } from '../courses.ts';
import type { AnyOperation } from '../index.ts';
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

/** The values that an update overwrites. A missing field could not be read; null is a value. */
export interface OldValues {
  readonly values: Arguments;
  /** Fields whose beginning alone the API shows. */
  readonly cut?: readonly string[];
}

type UpdateId = Extract<AnyOperation, { effect: 'update' }>['id'];

function shown(values: Arguments): Arguments {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

const ofLesson = defineLookup({
  operation: getCourseStructure,
  input: structureInput,
  value: (structure, { lesson_id }): OldValues | undefined => {
    const lesson = lessonsOf(structure).find(({ id }) => id === lesson_id);
    if (lesson === undefined) return undefined;
    const { title, sequence, is_published, lesson_type, module_id } = lesson;
    return { values: shown({ title, sequence, is_published, lesson_type, module_id }) };
  },
});

const ofProduct = defineLookup({
  operation: getProduct,
  input: productInput,
  value: ({ title, attributes = {}, truncated_attributes: cut = [] }): OldValues => ({
    values: shown({ title, ...attributes }),
    cut,
  }),
});

const ofChannel = defineLookup({
  operation: getChannel,
  input: channelInput,
  value: ({ name, description, locked, group }): OldValues => ({
    values: shown({ name, description, locked, group_id: groupIdOf(group) }),
  }),
});

/** How to read what an update overwrites: one request for each operation that updates a record. */
const lookups: Readonly<Record<UpdateId, RecordLookup<OldValues>>> = {
  'courses.updateLesson': ofLesson,
  'products.updateProduct': ofProduct,
  'community.updateChannel': ofChannel,
};

/** Undefined for an operation that overwrites nothing. */
export function oldValuesLookup(operationId: string): RecordLookup<OldValues> | undefined {
  return new Map<string, RecordLookup<OldValues>>(Object.entries(lookups)).get(operationId);
}
