import { isObject, type Json } from '../../src/shared/json.ts';
import { type Row, row, rows } from './academy.ts';

/** The answer with the values that its rows leave out, which it states once in `defaults`. */
export function withWholeRows(structured: Json | undefined): Json {
  const { defaults, ...others } = structured ?? {};
  if (!isObject(defaults)) return { ...others };
  const isRows = (value: unknown): value is Json[] => Array.isArray(value) && value.length > 0 && value.every(isObject);
  return Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name,
      isRows(value) ? value.map((one) => ({ ...defaults, ...one })) : value,
    ]),
  );
}

/** The structure with the values that the answer states once. Written by hand from what the answer says. */
export function wholeStructure({ defaults, modules, ungrouped_lessons, ...facts }: Row): Row {
  const usual = row(defaults ?? {});
  const { is_published } = usual;
  const lessonsIn = (list: unknown) => rows(list ?? []).map((lesson) => ({ ...usual, ...lesson }));
  const wholeModule = ({ lessons, ...module }: Row) => ({
    ...(is_published === undefined ? {} : { is_published }),
    ...module,
    ...(lessons === undefined ? {} : { lessons: lessonsIn(lessons) }),
  });
  return {
    ...facts,
    modules: rows(modules ?? []).map(wholeModule),
    ...(ungrouped_lessons === undefined ? {} : { ungrouped_lessons: lessonsIn(ungrouped_lessons) }),
  };
}

/** The properties of an object's JSON Schema. */
export function propertiesOf(schema: Row): Record<string, Row> {
  const properties = Object.entries(row(schema.properties ?? {}));
  return Object.fromEntries(properties.map(([name, property]) => [name, row(property)]));
}
