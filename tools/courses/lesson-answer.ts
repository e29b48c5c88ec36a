import * as z from 'zod';
import { lesson as lessonRecord } from '../../src/contract/schemas/lesson.ts';
import { anyRecord } from '../../src/mcp/output/output-schemas.ts';
import type { Presented } from '../../src/mcp/tool.ts';
import { presentWriteResult } from '../write-result.ts';

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
