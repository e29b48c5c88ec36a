import * as z from 'zod';
import { createLesson as operation } from '../../src/contract/courses.ts';
import { integer } from '../../src/contract/schemas/input-fields.ts';
import { lesson as lessonRecord } from '../../src/contract/schemas/lesson.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { anyRecord, writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import {
  type CreateQuestion,
  type Creation,
  createLessonOnce,
} from '../../src/workflows/outline/create-at-position.ts';
import { presentWriteResult } from '../field-changes.ts';

export const lessonOutput = { lesson: anyRecord, note: z.string() };

/** A lesson in the answer of a write: without its body, which the caller has sent and a move does not change. */
export function presentLesson(
  verb: string,
  { content: _body, ...record }: { content?: unknown },
  facts: Record<string, unknown>,
  lookUp: string,
): Presented {
  return presentWriteResult({ key: 'lesson', schema: lessonRecord, record, verb, lookUp, facts });
}

type Landed = NonNullable<Creation['landed']>;

function placeText({ module_id, position, of }: Landed): string {
  return `${position} of ${of} in ${module_id === null ? 'no module' : `module ${module_id}`}`;
}

/** The next step for a lesson that is not at its position. */
function nextStep({ lesson_id, landed }: Creation, { position, module_id = null }: CreateQuestion): string | undefined {
  if (position === undefined) return undefined;
  if (landed === undefined) return 'its place could not be read: check it with get_course_structure';
  if (landed.position === position || lesson_id === undefined) return undefined;
  const move = JSON.stringify({ lesson_id, module_id, position });
  return `it is not at position ${position}: move it with plan_course_outline and moves [${move}]`;
}

const repeatedNote = 'an identical earlier call created it; nothing was sent';

/** Adds to the answer where the lesson is now, and whether an identical earlier call created it. */
function landingFacts(presented: Presented, creation: Creation, question: CreateQuestion): Presented {
  const { landed, renumbered = 0, isRepeated } = creation;
  const next = nextStep(creation, question);
  const place = landed === undefined ? '' : ` Place: ${placeText(landed)}.`;
  const others = renumbered === 0 ? '' : ` ${counted(renumbered, 'other lesson')} renumbered.`;
  const summary = isRepeated ? 'Nothing was sent: the lesson already existed.' : presented.summary;
  const { module_id, ...at } = landed ?? { module_id: null };
  return {
    ...presented,
    summary: `${summary}${place}${others}`,
    data: {
      ...presented.data,
      ...(isRepeated ? { outcome: 'already_there', note: repeatedNote } : {}),
      ...(landed === undefined ? {} : { landed: { ...(module_id === null ? {} : { module_id }), ...at } }),
      ...(renumbered === 0 ? {} : { renumbered }),
      ...(next === undefined ? {} : { next }),
    },
  };
}

export const createLesson = defineApiTool({
  name: 'create_lesson',
  toolset: 'courses',
  title: 'Create a lesson',
  description:
    'Adds a new lesson (video, text) to a course: last in its module (chapter) or course, or at position, where others may get new numbers. Returns where it landed. The default of is_published is unknown. If it exists, adds none. No tool deletes it (update_lesson unpublishes).',
  cost: { requests: 3, plus: [{ requests: 1, per: 'renumbered lesson' }] },
  example: {
    course_id: 5,
    module_id: 219,
    title: 'White balance',
    content: 'Grey card, shade, tungsten.',
    is_published: false,
  },
  operation,
  extra: { position: integer(1, 10_000, 'From 1; not with sequence').optional() },
  check: ({ position, sequence }) => {
    if (position !== undefined && sequence !== undefined) throw refuseInput(['give position or sequence, not both']);
  },
  output: writeOutput({ ...lessonOutput, landed: z.looseObject({}), next: z.string() }),
  around: async (input, context, send) => await createLessonOnce(input, context, send),
  present: (lesson, input, _titles, creation) => {
    const { course_id } = input;
    const presented = presentLesson('Created', lesson, { course_id }, 'get_course_structure shows it with its id');
    return landingFacts(presented, creation, input);
  },
});
