import type * as z from 'zod';
import { sanitizeRecord } from '../src/mcp/output/sanitize.ts';
import { inline } from '../src/mcp/output/text-format.ts';
import type { Presented } from '../src/mcp/tool.ts';

/** Names a record in a sentence: "Course 7: Watercolour". */
export function recordLabel(noun: string, record: Record<string, unknown>): string {
  const { id, title, name } = record;
  const label = [noun, ...(id === undefined ? [] : [inline(id)])].join(' ');
  const called = title ?? name;
  return called === undefined ? label : `${label}: ${inline(called)}`;
}

/** The answer of a tool that reads one record: every field that the API returns. */
export function presentRecord(noun: string, schema: z.ZodObject, record: object): Presented {
  const data = sanitizeRecord(schema, record);
  return { summary: `${recordLabel(noun, data)}.`, data };
}
