import { isObject, type Json } from '../../src/shared/json.ts';

/** A lesson with its module, a lesson without one, or a module without lessons. */
export interface StructureRow {
  module?: Json;
  lesson?: Json;
}

export function recordsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The structure as one list in the order of the course, so that an answer can show a part of it. */
export function structureRows({ modules, ungrouped_lessons }: Json): StructureRow[] {
  const grouped = recordsIn(modules).flatMap(({ lessons, ...module }): StructureRow[] => {
    const inside = recordsIn(lessons);
    return inside.length === 0 ? [{ module }] : inside.map((lesson) => ({ module, lesson }));
  });
  return [...grouped, ...recordsIn(ungrouped_lessons).map((lesson) => ({ lesson }))];
}

/** The structure of some of its rows. A module that was cut has only its remaining lessons. */
export function structureOf(rows: readonly StructureRow[]): Json {
  const inModules = new Map<Json, Json[]>();
  const ungrouped: Json[] = [];
  for (const { module, lesson } of rows) {
    const lessons = module === undefined ? ungrouped : (inModules.get(module) ?? []);
    if (module !== undefined) inModules.set(module, lessons);
    if (lesson !== undefined) lessons.push(lesson);
  }
  const modules = [...inModules].map(([module, lessons]) => ({
    ...module,
    ...(lessons.length > 0 ? { lessons } : {}),
  }));
  return {
    ...(modules.length > 0 ? { modules } : {}),
    ...(ungrouped.length > 0 ? { ungrouped_lessons: ungrouped } : {}),
  };
}
