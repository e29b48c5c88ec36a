import type * as z from 'zod';
import type { Operation } from '../src/contract/operation.ts';
import { sanitizeRecord } from '../src/mcp/output/sanitize.ts';
import type { Presented } from '../src/mcp/tool.ts';
import type { Json } from '../src/shared/json.ts';
import { nameOf } from './record-result.ts';

/** Names of the fields that an update was given. */
export function changedFields(operation: Operation, input: Json): string[] {
  return Object.keys(operation.body).filter((field) => input[field] !== undefined);
}

interface Written {
  /** The key of the record in the answer: "lesson". */
  key: string;
  schema: z.ZodObject;
  record: object;
  /** What happened, for the first line: "Created" or "Updated". */
  verb: string;
  /** Where to look when the API does not show the record. */
  lookUp: string;
  /** Which record it was and what was changed, from the input. */
  facts?: Json;
}

/** The answer of a tool that created or updated a record. The API document does not say that it shows the record. */
export function presentWritten({ key, schema, record, verb, lookUp, facts = {} }: Written): Presented {
  const shown = sanitizeRecord(schema, record);
  if (Object.keys(shown).length > 0) {
    return { summary: `${verb} ${nameOf(key, shown)}.`, data: { outcome: 'applied', ...facts, [key]: shown } };
  }
  const note = `the API did not show the ${key}; ${lookUp}`;
  return { summary: `${verb} the ${key}.`, data: { outcome: 'applied', ...facts, note } };
}
