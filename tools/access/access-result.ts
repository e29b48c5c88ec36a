import * as z from 'zod';
import { acknowledgement, studentName } from '../../src/contract/access.ts';
import type { Tolerant } from '../../src/contract/schemas/response.ts';
import type { WriteFacts } from '../../src/mcp/define-api-tool.ts';
import { writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { type Presented, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { isObject } from '../../src/shared/json.ts';

/** The student and the products of a call. The API's own answers do not return them. */
const accessFields = {
  email: z.string(),
  course_id: z.int(),
  bundle_id: z.int(),
  role_id: z.int(),
  note: z.string(),
};

type Target = Partial<Record<keyof typeof accessFields, string | number | undefined>>;
type Acknowledgement = Tolerant<z.infer<typeof acknowledgement.schema>>;

/** Omits titles and the facts read around the write: a longer tool list costs tokens in every conversation. */
export function accessOutput(...names: (keyof typeof accessFields)[]) {
  return writeOutput(Object.fromEntries(['email' as const, ...names].map((name) => [name, accessFields[name]])));
}

/** The fields that the API returns besides "success: true". */
function apiFields(answer: Acknowledgement): Record<string, unknown> {
  const { success, ...others } = sanitizeRecord(acknowledgement.schema, answer);
  const api = success === false ? { success, ...others } : others;
  return Object.keys(api).length > 0 ? { api } : {};
}

export function presentAccessResult(
  summary: string,
  target: Target,
  answer: Acknowledgement,
  facts: WriteFacts = {},
): Presented {
  const data = Object.entries({ outcome: 'applied', ...target, ...facts, ...apiFields(answer) });
  const withRows = (most: number) => ({
    summary: oneLine(summary, 1_000),
    data: Object.fromEntries(data.map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, most) : value])),
  });
  const records = Math.max(0, ...data.map(([, value]) => (Array.isArray(value) ? value.length : 0)));
  const { order_ids = [], taken = [] } = facts;
  const orders = [order_ids, taken].flat().map((one) => (isObject(one) ? String(one.order_id) : String(one)));
  return { ...withCut(withRows, records, 'read the orders with list_orders and user_email'), orders };
}

/** The answer of a write whose effect was read back. `applied`: what it says if nothing speaks against it. */
export function presentEffect(
  { applied, wasSo }: { readonly applied: string; readonly wasSo: string },
  target: Target,
  answer: Acknowledgement,
  facts: WriteFacts,
): Presented {
  const { outcome, note, taken, verified } = facts;
  const orders = Array.isArray(taken)
    ? ` ${verified === true ? 'Removed from' : 'It was on'} ${counted(taken.length, 'order')}.`
    : '';
  const unknown = outcome === 'outcome_unknown' ? `The outcome is unknown: ${note}.` : `${applied}${orders}`;
  return presentAccessResult(outcome === 'already_there' ? wasSo : unknown, target, answer, facts);
}

/** The API requires the name; the tool looks it up if it is left out, since a model would invent one. */
export const optionalName = { name: studentName.optional() };

/** The same input with the name of the caller, or else of the student's details. */
export function nameIn<Input extends { email: string; name?: string | undefined }>(
  details: { name?: string | undefined },
  input: Input,
): Input & { name: string } {
  const name = input.name ?? details.name;
  if (typeof name === 'string' && name.trim() !== '') return { ...input, name };
  throw refuseInput(['name is required: the API shows none for this student']);
}
