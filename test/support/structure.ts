import { type Row, row, rows } from './academy.ts';

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
