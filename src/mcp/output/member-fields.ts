import * as z from 'zod';
import type { ResponseSchema } from '../../contract/schemas/response.ts';
import { textKinds } from '../../contract/schemas/response-text.ts';
import { unwrap } from '../../contract/schemas/unwrap.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Presented } from '../tool.ts';
import { academyTextKey, byMembersKey, untrustedKey } from './fence-free-text.ts';

function namesIn(schema: z.core.$ZodType, name: string): string[] {
  const known = unwrap(schema);
  if (known instanceof z.ZodArray) return namesIn(known.element, name);
  if (known instanceof z.ZodObject) {
    return Object.entries(known.shape).flatMap(([field, inner]) => namesIn(inner as z.ZodType, field));
  }
  const text = textKinds.get(known);
  return text?.kind === 'line' && text.by === 'member' ? [name] : [];
}

/** The names and titles in an operation's answer that members chose, by field name. */
export function memberFieldsOf(response: ResponseSchema): string[] {
  return [...new Set(namesIn(response.kind === 'list' ? response.item : response.schema, ''))];
}

/** Adds the names of all fields outside free text, at any depth. */
function collectKeys(value: unknown, keys: Set<string>): Set<string> {
  if (Array.isArray(value)) for (const entry of value) collectKeys(entry, keys);
  else if (isObject(value)) {
    for (const [key, entry] of Object.entries(value)) {
      if (key === academyTextKey || key === untrustedKey) continue;
      keys.add(key);
      collectKeys(entry, keys);
    }
  }
  return keys;
}

/** The answer, with the names of those of `fields` that it shows. */
export function withMemberFields(presented: Presented, fields: readonly string[] = []): Presented {
  if (fields.length === 0) return presented;
  const marked = (data: Json) => {
    const keys = collectKeys(data, new Set());
    const shown = fields.filter((field) => keys.has(field));
    return shown.length > 0 ? { ...data, [byMembersKey]: shown } : data;
  };
  const { cut } = presented;
  const answer = { ...presented, data: marked(presented.data) };
  if (cut === undefined) return answer;
  const to = (most: number) => {
    const part = cut.to(most);
    return { ...part, data: marked(part.data) };
  };
  return { ...answer, cut: { ...cut, to } };
}
