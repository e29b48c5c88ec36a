import * as z from 'zod';
import { acknowledgement, studentName } from '../../src/contract/access.ts';
import type { Tolerant } from '../../src/contract/schemas/response.ts';
import { getStudentDetails } from '../../src/contract/students.ts';
import type { WriteFacts } from '../../src/mcp/define-api-tool.ts';
import { writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';

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

/** The answer of a student access tool: the outcome, the student, and the facts read around the write. */
export function presentAccessResult(
  summary: string,
  target: Target,
  answer: Acknowledgement,
  facts: WriteFacts = {},
): Presented {
  const shown = Object.entries(target).map(([name, value]) => [
    name,
    typeof value === 'string' ? oneLine(value, 500) : value,
  ]);
  const data = { outcome: 'applied', ...Object.fromEntries(shown), ...facts, ...apiFields(answer) };
  const lists = Object.entries(facts).flatMap(([name, list]) => (Array.isArray(list) ? [[name, list] as const] : []));
  const withRows = (most: number) => ({
    summary: oneLine(summary, 1_000),
    data: { ...data, ...Object.fromEntries(lists.map(([name, list]) => [name, list.slice(0, most)])) },
  });
  const records = Math.max(0, ...lists.map(([, list]) => list.length));
  if (records === 0) return withRows(0);
  return withCut(withRows, records, 'read the orders with list_orders and user_email');
}

/** The first line of a write whose effect was read back. `applied`: what it says if nothing speaks against it. */
export function effectText({ outcome, note, taken, verified }: WriteFacts, applied: string, wasSo: string): string {
  if (outcome === 'already_there') return wasSo;
  if (outcome === 'outcome_unknown') return `The outcome is unknown: ${note}.`;
  if (!Array.isArray(taken)) return applied;
  return `${applied} ${verified === true ? 'Removed from' : 'It was on'} ${counted(taken.length, 'order')}.`;
}

/** The API requires the name; the tool looks it up if it is left out, since a model would invent one. */
export const optionalName = { name: studentName.optional() };

interface Named {
  email: string;
  name?: string | undefined;
}

export function nameIn<Input extends Named>(
  { name: known }: { name?: string | undefined },
  input: Input,
): Input & { name: string } {
  const name = input.name ?? known;
  if (typeof name === 'string' && name.trim() !== '') return { ...input, name };
  throw refuseInput(['name is required: the API shows none for this student']);
}

/** The same input with the student's name. One request if it lacks the name. */
export async function withName<Input extends Named>(input: Input, { api }: Pick<ToolContext, 'api'>) {
  const { email, name } = input;
  return nameIn(name === undefined ? await api.call(getStudentDetails, { email }) : {}, input);
}
