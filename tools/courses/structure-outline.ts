import { inline, type Outline } from '../../src/mcp/render.ts';
import { recordsIn } from './structure-rows.ts';

type Json = Record<string, unknown>;

/** Only false is said: what the API does not tell must not read as either. */
function publication(isPublished: unknown): string[] {
  return isPublished === false ? ['unpublished'] : [];
}

function rest(fields: Json): string[] {
  return Object.keys(fields).length > 0 ? [inline(fields)] : [];
}

function line(parts: readonly unknown[]): string {
  return parts.map(inline).filter(Boolean).join(' | ');
}

function lessonLine({ id, sequence, title, lesson_type, is_published, ...others }: Json): string {
  return `  ${line([id, sequence, title, lesson_type, ...publication(is_published), ...rest(others)])}`;
}

function moduleLines({ id, sequence, title, is_published, lessons, ...others }: Json): string[] {
  const heading = line([`Module ${id}`, sequence, title, ...publication(is_published), ...rest(others)]);
  return [heading, ...recordsIn(lessons).map(lessonLine)];
}

/** A course as an outline: a line for each module, and under it an indented one for each lesson. */
export const structureOutline: Outline = ({ modules, ungrouped_lessons, ...facts }) => {
  const ungrouped = recordsIn(ungrouped_lessons).map(lessonLine);
  return [
    ...Object.entries(facts).map(([name, value]) => `${name}: ${inline(value)}`),
    'id | sequence | title | lesson type; unpublished ones are marked',
    ...recordsIn(modules).flatMap(moduleLines),
    ...(ungrouped.length > 0 ? ['In no module:', ...ungrouped] : []),
  ];
};
