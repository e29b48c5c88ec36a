import * as z from 'zod';
import type { ResponseSchema } from '../../contract/schemas/response.ts';
import { textKinds } from '../../contract/schemas/response-text.ts';
import { unwrap } from '../../contract/schemas/unwrap.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Presented, Tool } from '../tool.ts';
import { academyTextKey, byMembersKey, untrustedKey } from './fence-free-text.ts';
import { recordsBehind } from './output-schemas.ts';

// Which short texts of an answer members chose is decided by the schemas alone: of the API's records and of the tool's output.

function namesIn(schema: z.core.$ZodType, name: string): string[] {
  const known = unwrap(schema);
  const behind = recordsBehind.get(known);
  const more = behind === undefined ? [] : namesIn(behind, name);
  if (known instanceof z.ZodArray) return [...more, ...namesIn(known.element, name)];
  if (known instanceof z.ZodObject) {
    const fields = Object.entries(known.shape).flatMap(([field, inner]) => namesIn(inner as z.ZodType, field));
    return [...more, ...fields];
  }
  const text = textKinds.get(known);
  return text !== undefined && text.kind !== 'block' && text.by === 'member' ? [...more, name] : more;
}

const known = new WeakMap<z.ZodObject, readonly string[]>();

/** The fields of a tool's answers that hold names, titles and addresses which members chose. */
export function memberFieldsOf({ output }: Pick<Tool, 'output'>): readonly string[] {
  const names = known.get(output) ?? [...new Set(namesIn(output, ''))];
  known.set(output, names);
  return names;
}

/** Adds the names of all fields outside free text, at any depth. */
function collectKeys(value: unknown, keys: Set<string>): Set<string> {
  if (Array.isArray(value)) for (const entry of value) collectKeys(entry, keys);
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (key === academyTextKey || key === untrustedKey) continue;
      keys.add(key);
      if (typeof value[key] === 'object') collectKeys(value[key], keys);
    }
  }
  return keys;
}

/** The answer, with the names of those fields that members chose and that it shows, in its shortened forms too. */
export function withMemberFields(presented: Presented, tool: Pick<Tool, 'output'>): Presented {
  const fields = memberFieldsOf(tool);
  const { cut } = presented;
  if (fields.length === 0) return presented;
  const marked = (data: Json) => {
    const keys = collectKeys(data, new Set());
    const own = data[byMembersKey];
    const shown = [...new Set([...(Array.isArray(own) ? own : []), ...fields.filter((field) => keys.has(field))])];
    return shown.length > 0 ? { ...data, [byMembersKey]: shown } : data;
  };
  const answer = { ...presented, data: marked(presented.data) };
  if (cut === undefined) return answer;
  const to = (most: number) => {
    const part = cut.to(most);
    return { ...part, data: marked(part.data) };
  };
  return { ...answer, cut: { ...cut, to } };
}

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
