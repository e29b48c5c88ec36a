import * as z from 'zod';
import type { CallOptions } from '../src/api/api.ts';
import type { OldValues } from '../src/contract/lookups.ts';
import type { Operation } from '../src/contract/operation.ts';
import { type TextKind, textKinds, unwrap } from '../src/contract/schemas/response-text.ts';
import { changeShown } from '../src/mcp/confirmation/confirmation-message.ts';
import { academyTextKey, untrustedKey } from '../src/mcp/output/fence-free-text.ts';
import { sanitizeRecord } from '../src/mcp/output/sanitize.ts';
import { readBeforeUpdate } from '../src/mcp/titles.ts';
import type { Presented, ToolContext } from '../src/mcp/tool.ts';
import { cleanText } from '../src/shared/clean-text.ts';
import type { Json } from '../src/shared/json.ts';
import { recordLabel } from './record-result.ts';

interface WriteResult {
  /** The key of the record in the answer: "lesson". */
  key: string;
  schema: z.ZodObject;
  record: object;
  /** "Created" or "Updated". */
  verb: string;
  /** How to read the record if the API does not return it. */
  lookUp: string;
  /** The id and the changed fields, from the input. */
  facts?: Json;
}

/** The answer of a tool that created or updated a record. The API document does not say that the API returns it. */
export function presentWriteResult({ key, schema, record, verb, lookUp, facts = {} }: WriteResult): Presented {
  const shown = sanitizeRecord(schema, record);
  if (Object.keys(shown).length > 0) {
    return { summary: `${verb} ${recordLabel(key, shown)}.`, data: { outcome: 'applied', ...facts, [key]: shown } };
  }
  const note = `the API did not return the ${key}; ${lookUp}`;
  return { summary: `${verb} the ${key}.`, data: { outcome: 'applied', ...facts, note } };
}

export interface UpdateFacts {
  /** Undefined: an earlier call may have changed them. */
  readonly old: OldValues | undefined;
}

/** `around` of an update: reads the old values, then sends it. */
export function withOldValues(operation: Operation) {
  return async <Answer>(
    input: Json,
    context: ToolContext,
    send: (changed?: undefined, options?: CallOptions) => Promise<Answer>,
  ): Promise<readonly [Answer, UpdateFacts]> => {
    const old = await readBeforeUpdate(operation, input, context);
    return [await send(undefined, { journal: { old } }), { old }];
  };
}

export const changesOutput = { changes: z.record(z.string(), z.string()), not_readable: z.array(z.string()) };

/** Longest old value beside the new one, in characters, as of names in other answers. */
const maxLine = 200;

function kindOf(fields: z.ZodObject, name: string): TextKind | undefined {
  const field = fields.shape[name];
  return field instanceof z.ZodType ? textKinds.get(unwrap(field)) : undefined;
}

/** Old texts in the fence of their author: of the academy only if the contract says so. */
function fencedTexts(fields: z.ZodObject, values: Json, names: readonly string[]): Json {
  const texts: Record<string, Json> = {};
  for (const name of names) {
    const value = values[name];
    if (value === null || value === '') continue;
    const key = kindOf(fields, name)?.by === 'admin' ? academyTextKey : untrustedKey;
    texts[key] = { ...texts[key], [name]: typeof value === 'string' ? cleanText(value).trim() : value };
  }
  return texts;
}

const lengthText = (value: unknown) =>
  typeof value === 'string' ? `text of ${value.length} characters` : String(value);

/** The changed fields as `old -> new`, and the names of those whose old value the API does not show whole. */
export function fieldChanges(operation: Operation, fields: z.ZodObject, input: Json, { old }: UpdateFacts): Json {
  const sent = Object.keys(operation.body).filter((field) => input[field] !== undefined);
  if (old === undefined) return { changed: sent };
  const { values, cut = [] } = old;
  const isReadable = (name: string) => Object.hasOwn(values, name) && !cut.includes(name);
  const readable = sent.filter(isReadable);
  // Free text, and any text that is too long for a line, has its own place, where it is marked as such.
  const isText = (name: string) => kindOf(fields, name)?.kind === 'block' || String(values[name]).length > maxLine;
  const shown = (name: string) =>
    isText(name) ? `${lengthText(values[name])} -> ${lengthText(input[name])}` : changeShown(name, input[name], old);
  return {
    changed: sent.filter((name) => !isReadable(name) || values[name] !== input[name]),
    changes: Object.fromEntries(readable.map((name) => [name, shown(name)])),
    before: fencedTexts(fields, values, readable.filter(isText)),
    not_readable: sent.filter((name) => !isReadable(name)),
    can_undo: sent.length > 0 && readable.length === 0 ? 'no: the old values could not be read' : undefined,
  };
}
