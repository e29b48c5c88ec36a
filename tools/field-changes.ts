import * as z from 'zod';
import type { OldValues } from '../src/contract/lookups/old-values.ts';
import type { Operation } from '../src/contract/operation.ts';
import { textKinds } from '../src/contract/schemas/response-text.ts';
import { unwrap } from '../src/contract/schemas/unwrap.ts';
import { changeShown } from '../src/mcp/confirmation/argument-lines.ts';
import { sanitizeRecord } from '../src/mcp/output/sanitize.ts';
import { readBeforeUpdate } from '../src/mcp/read-before-update.ts';
import type { ToolContext } from '../src/mcp/tool.ts';
import type { Json } from '../src/shared/json.ts';
import { changedFields } from './write-result.ts';

export interface UpdateFacts {
  /** Undefined: an earlier call may have changed them. */
  readonly old: OldValues | undefined;
}

/** `around` of an update: reads the old values, then sends it. */
export function withOldValues(operation: Operation) {
  return async <Answer>(
    input: Json,
    context: ToolContext,
    send: () => Promise<Answer>,
  ): Promise<readonly [Answer, UpdateFacts]> => {
    const old = await readBeforeUpdate(operation, input, context);
    return [await send(), { old }];
  };
}

export const changesOutput = { changes: z.record(z.string(), z.string()), not_readable: z.array(z.string()) };

function isFreeText(fields: z.ZodObject, name: string): boolean {
  const field = fields.shape[name];
  return field instanceof z.ZodType && textKinds.get(unwrap(field))?.kind === 'block';
}

const lengthText = (value: unknown) =>
  typeof value === 'string' ? `text of ${value.length} characters` : String(value);

/** The changed fields as `old -> new`, and the names of those whose old value the API does not show whole. */
export function fieldChanges(operation: Operation, fields: z.ZodObject, input: Json, { old }: UpdateFacts): Json {
  const changed = changedFields(operation, input);
  if (old === undefined) return { changed };
  const { values, cut = [] } = old;
  const readable = changed.filter((name) => Object.hasOwn(values, name) && !cut.includes(name));
  const texts = readable.filter((name) => isFreeText(fields, name));
  const shown = (name: string) =>
    texts.includes(name)
      ? `${lengthText(values[name])} -> ${lengthText(input[name])}`
      : changeShown(name, input[name], old);
  // Free text has its own place, where it is marked as such.
  const before = sanitizeRecord(fields, values, texts);
  const hidden = changed.filter((name) => !readable.includes(name));
  return {
    changed,
    ...(readable.length > 0 ? { changes: Object.fromEntries(readable.map((name) => [name, shown(name)])) } : {}),
    ...(Object.keys(before).length > 0 ? { before } : {}),
    ...(hidden.length > 0 ? { not_readable: hidden } : {}),
  };
}
