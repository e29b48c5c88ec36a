import { besideCells } from '../../src/mcp/output/table-shape.ts';
import { inline, type TextBody, tableLine } from '../../src/mcp/output/text-format.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { defaultsKey, withCounting } from './structure-defaults.ts';
import { recordsIn } from './structure-rows.ts';

const known = ['id', 'sequence', 'title', 'lesson_type', 'is_published'];
/** Keys without a column: lessons have their own lines. */
const elsewhere: ReadonlySet<string> = new Set(['lessons', ...besideCells]);

/** The columns in which any line has a value, in one order for all lines. */
function columnsOf(records: readonly Json[]): string[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  const others = [...names].filter((name) => !known.includes(name) && !elsewhere.has(name));
  return [...known.filter((name) => names.has(name)), ...others];
}

const cellsOf = (record: Json, columns: readonly string[]) => columns.map((column) => record[column]);

/** A course as lines: one for each module, with an indented line for each of its lessons, in the same columns. */
export const structureOutline: TextBody = ({ modules, ungrouped_lessons, [defaultsKey]: defaults, ...others }) => {
  const { sequence: counts, ...usual }: Json = isObject(defaults) ? defaults : {};
  const facts = { ...others, ...(Object.keys(usual).length > 0 ? { [defaultsKey]: usual } : {}) };
  const numbered = (value: unknown) => withCounting(recordsIn(value), counts !== undefined);
  const inModules = numbered(modules).map((module): Json => ({ ...module, lessons: numbered(module.lessons) }));
  const ungrouped = numbered(ungrouped_lessons);
  const columns = columnsOf([...inModules.flatMap((module) => [module, ...recordsIn(module.lessons)]), ...ungrouped]);
  const lessonLine = (lesson: Json) => `  ${tableLine(cellsOf(lesson, columns))}`;
  return [
    ...Object.entries(facts).map(([name, value]) => `${inline(name)}: ${inline(value)}`),
    ...(columns.length > 0 ? [columns.map(inline).join(' | ')] : []),
    ...inModules.flatMap((module) => [
      `Module ${tableLine(cellsOf(module, columns))}`,
      ...recordsIn(module.lessons).map(lessonLine),
    ]),
    ...(ungrouped.length > 0 ? ['In no module:', ...ungrouped.map(lessonLine)] : []),
  ];
};
