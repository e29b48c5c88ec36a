import type * as z from 'zod';
import type { Operation } from '../src/contract/operation.ts';
import { sanitizeRecord } from '../src/mcp/output/sanitize.ts';
import type { Presented } from '../src/mcp/tool.ts';
import type { Json } from '../src/shared/json.ts';
import { recordLabel } from './record-result.ts';

/** Names of the fields that an update sets. */
export function changedFields(operation: Operation, input: Json): string[] {
  return Object.keys(operation.body).filter((field) => input[field] !== undefined);
}

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
