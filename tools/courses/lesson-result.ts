import * as z from 'zod';
import { lesson as lessonRecord } from '../../src/contract/schemas/lesson.ts';
import { anyRecord } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented } from '../../src/mcp/tool.ts';
import { compact } from '../../src/shared/quote-text.ts';
import type { CreateQuestion, Creation } from '../../src/workflows/outline/create-at-position.ts';
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

function nextStep({ lesson_id, landed }: Creation, { position, module_id = null }: CreateQuestion): string | undefined {
  if (position === undefined) return undefined;
  if (landed === undefined) return 'its place could not be read: check it with get_course_structure';
  if (landed.position === position || lesson_id === undefined) return undefined;
  const move = JSON.stringify({ lesson_id, module_id, position });
  return `it is not at position ${position}: move it with plan_course_outline and moves [${move}]`;
}

const repeatedNote = 'an identical earlier call created it; nothing was sent';

/** Adds to the answer where the lesson is now, and whether an identical earlier call created it. */
export function landingFacts({ summary, data }: Presented, creation: Creation, question: CreateQuestion): Presented {
  const { landed, renumbered = 0, isRepeated } = creation;
  const { module_id, ...rest } = landed ?? {};
  const where = typeof module_id === 'number' ? `module ${module_id}` : 'no module';
  const texts = compact([
    isRepeated ? 'Nothing was sent: the lesson already existed.' : summary,
    landed && `Place: ${landed.position} of ${landed.of} in ${where}.`,
    renumbered > 0 && `${counted(renumbered, 'other lesson')} renumbered.`,
  ]);
  return {
    summary: texts.join(' '),
    data: {
      ...data,
      ...(isRepeated && { outcome: 'already_there', note: repeatedNote }),
      landed: landed && (typeof module_id === 'number' ? landed : { module: 'none', ...rest }),
      renumbered: renumbered || undefined,
      next: nextStep(creation, question),
    },
  };
}
