import * as z from 'zod';
import type { ResponseSchema } from '../../contract/schemas/response.ts';
import { textKinds } from '../../contract/schemas/response-text.ts';

function childrenOf(schema: unknown): unknown[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return [...schema.options];
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? [schema.unwrap()] : [];
}

/** Whether a value of this schema may contain text that members wrote. */
function mayHold(schema: unknown): boolean {
  const isTheirs = schema instanceof z.ZodType && textKinds.get(schema)?.by === 'member';
  return isTheirs || childrenOf(schema).some(mayHold);
}

/** Whether an operation's answer may contain text that members wrote, their names included. */
export function carriesUserContent(answer: ResponseSchema): boolean {
  return mayHold(answer.kind === 'list' ? answer.item : answer.schema);
}
