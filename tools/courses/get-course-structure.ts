import * as z from 'zod';
import { unreadablePathsIn } from '../../src/api/http/unreadable-paths.ts';
import * as courses from '../../src/contract/courses.ts';
import { courseModule, courseStructure, lessonSummary } from '../../src/contract/schemas/lesson.ts';
import { clarityOf } from '../../src/insights/outline/order-clarity.ts';
import { bySequence } from '../../src/insights/outline/sort-lessons.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { windowArguments, windowCursor } from '../../src/mcp/list-window.ts';
import { anyRecord, listOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import type { Presented } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { recordLabel } from '../record-result.ts';
import { defaultsKey, usualValues, withoutRepeats } from './structure-defaults.ts';
import { type StructureRow, structureOf, structureRows } from './structure-rows.ts';
import { structureOutline } from './structure-text.ts';

const lessonOutput = recordOutput(lessonSummary.shape);
const moduleOutput = recordOutput({ ...courseModule.shape, lessons: z.array(lessonOutput) });

const output = listOutput('modules', moduleOutput, {
  course: recordOutput({ product_type: z.string(), ...courseStructure.shape.course.shape }),
  lesson_count: z.int(),
  // As in modules: listing the fields twice would cost every conversation.
  ungrouped_lessons: z.array(anyRecord),
  next_cursor: z.string(),
  [defaultsKey]: anyRecord,
});

type WriteRows = (place: { at: number; of: number }) => string;

const askedOf = (course_id: number): CursorScope => ['get_course_structure', course_id];

/** The rows of the structure from `from` on. A cut answer has the cursor of its next row. */
function presentRows(rows: readonly StructureRow[], from: number, beside: Json, write: WriteRows): Presented {
  const wanted = rows.slice(from);
  const lesson_count = rows.filter(({ lesson }) => lesson !== undefined).length;
  const course = isObject(beside.course) ? beside.course : {};
  const start = isObject(beside.coverage) ? 'Incomplete (lessons, or lists of them, could not be read): ' : '';
  const summary = `${start}${recordLabel(course.product_type === undefined ? 'Course' : 'Challenge', course)}. ${lesson_count} lessons${from > 0 ? ', shown from the cursor on' : ''}.`;
  const usual = usualValues(rows);
  const part = (count: number) => withoutRepeats(structureOf(wanted.slice(0, count)), usual, rows);
  const shown = (count: number) => ({ ...beside, lesson_count, ...part(count) });
  return {
    summary,
    data: shown(wanted.length),
    body: structureOutline,
    cut: {
      records: wanted.length,
      to: (most) => ({
        summary,
        data: { next_cursor: write({ at: from + most, of: rows.length }), ...shown(most) },
        shown: most,
        how: 'go on with next_cursor as cursor',
      }),
    },
  };
}

function withProductType({ course, ...others }: Json): Json {
  if (!isObject(course)) return others;
  return { course: { ...(course.is_challenge === true ? { product_type: 'challenge' } : {}), ...course }, ...others };
}

export const getCourseStructure = defineApiTool({
  name: 'get_course_structure',
  toolset: 'courses',
  title: 'Get the structure of a course',
  description:
    'Shows the modules and lessons of a course in order: ids, titles, sequence, types, publication; then lessons in no module. Finds a lesson by its title. The API cannot show lesson bodies. For price and description use get_course.',
  ui: { resourceUri: 'ui://academy/outline.html' },
  cost: { requests: 1 },
  example: { course_id: 5 },
  operation: courses.getCourseStructure,
  extra: { cursor: windowArguments.cursor },
  output,
  // An invalid cursor must not cost a request.
  check: ({ cursor, course_id }, { cursors }) => {
    if (cursor !== undefined) cursors.readUnsigned(windowCursor, cursor, askedOf(course_id));
  },
  ask: ({ cursor: _cursor, ...input }, { api }) => api.call(courses.getCourseStructure, input),
  present: (answer, { cursor, course_id }, _titles, _told, { cursors }) => {
    const asked = askedOf(course_id);
    const { unreadable: lessons, doubts } = clarityOf(answer, unreadablePathsIn(answer));
    const { modules, ungrouped_lessons, ...beside } = withProductType(
      sanitizeRecord(courseStructure, bySequence(answer)),
    );
    const rows = structureRows({ modules, ungrouped_lessons });
    const start = cursor === undefined ? undefined : cursors.readUnsigned(windowCursor, cursor, asked);
    const changed = start !== undefined && start.of !== rows.length;
    const notes = [
      ...(changed ? ['the course has changed since the first part was read: read it again from the start'] : []),
      ...doubts,
    ];
    const note = notes.length > 0 ? { note: notes.join('; ') } : {};
    const coverage = lessons > 0 ? { coverage: { complete: false, unreadable: { lessons } } } : {};
    const facts = { ...coverage, ...beside, ...note };
    return presentRows(rows, start?.at ?? 0, facts, (place) => cursors.write(windowCursor, place, asked));
  },
});
