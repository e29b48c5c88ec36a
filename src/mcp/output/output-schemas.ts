import * as z from 'zod';
import type { ResponseSchema } from '../../contract/schemas/response.ts';
import { type TextKind, textKinds, unwrap } from '../../contract/schemas/response-text.ts';
import type { Part, Tool } from '../tool.ts';
import { academyTextKey, byMembersKey, untrustedKey } from './fence-free-text.ts';

// Output schemas of the tools. Loose: the API may add fields, and a strict client would refuse the whole answer for one.
// Every field is optional, since the API may omit any of them.

const freeText = z.record(z.string(), z.unknown()).optional();

/** An answer never contains null. The key of a name or title describes it. */
function outputField(field: z.ZodType): z.ZodType {
  const inner = unwrap(field);
  const kind = textKinds.get(inner);
  if (kind?.kind === 'line') return z.string().register(textKinds, kind).optional();
  if (kind?.by === 'member') return inner.optional();
  return (field.description === undefined ? inner : inner.describe(field.description)).optional();
}

/** The key of a text that is shown apart from the other fields; undefined for any other field. */
function freeTextKey(field: z.ZodType): string | undefined {
  const text = textKinds.get(unwrap(field));
  if (text?.kind !== 'block') return undefined;
  return text.by === 'member' ? untrustedKey : academyTextKey;
}

function outputFields(shape: z.ZodRawShape): z.ZodRawShape {
  const fields = Object.entries(shape) as [string, z.ZodType][];
  const plain = fields.filter(([, field]) => freeTextKey(field) === undefined);
  return Object.fromEntries(plain.map(([name, field]) => [name, outputField(field)]));
}

/** A record in an answer whose fields the schema does not list, such as one of a write. */
export const anyRecord = z.looseObject({});

/** A record in an answer: any field may be missing, unknown fields may occur, free text is under a key of its own. */
export function recordOutput(shape: z.ZodRawShape) {
  const keys = (Object.values(shape) as z.ZodType[]).flatMap((field) => freeTextKey(field) ?? []);
  return z.looseObject({ ...outputFields(shape), ...Object.fromEntries(keys.sort().map((key) => [key, freeText])) });
}

/** How many records were left out to keep the answer short, and how to get them. */
const cut = z.string().optional();

export function listOutput(list: string, row: z.ZodType, beside: z.ZodRawShape = {}) {
  return z.looseObject({ [list]: z.array(row).optional(), ...outputFields(beside), cut });
}

/** Fields beside a list that the API sends whole. Without next_cursor there is no further page. */
export const windowOutput = {
  total: z.int(),
  next_cursor: z.string(),
  note: z.string(),
};

/** Fields beside a page of a list that the API pages. */
export const pageOutput = {
  page: z.int(),
  total_pages: z.int(),
  total: z.int(),
  next_page: z.int(),
};

const each =
  <Field extends z.ZodType>(field: Field) =>
  (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, field.optional()]));
export const texts = each(z.string());
export const numbers = each(z.int());
/** Lists whose rows the schema does not list: another tool or another list of the answer has the same. */
export const lists = each(z.array(anyRecord));

/** A short text of an answer that members chose. */
export const memberText = () => z.string().register(textKinds, { kind: 'line', by: 'member' }).optional();

/** Records of the API that an answer shows with fields that its schema does not list. */
const recordsBehind = new WeakMap<z.core.$ZodType, z.ZodObject>();

/** The same schema, for an answer that also shows fields of `record`. They are not listed, since descriptions cost every client. */
export function showing<Schema extends z.ZodType>(schema: Schema, record: z.ZodObject): Schema {
  const copy: Schema = schema.clone();
  recordsBehind.set(copy, record);
  return copy;
}

/**
 * The answer of a write: `outcome` is a `WriteOutcome`; `unchanged_fields` has each sent field that the API shows with
 * another value, with that value. Undescribed here, since descriptions in the schema of each tool cost every client.
 */
export function writeOutput(shape: z.ZodRawShape = {}) {
  return z.looseObject({ outcome: z.string(), ...outputFields(shape) });
}

// Which short texts of an answer members chose is decided by the schemas alone: of the API's records and of the tool's output.

function textsIn(schema: z.core.$ZodType, name = ''): { name: string; kind: TextKind }[] {
  const inner = unwrap(schema);
  const kind = textKinds.get(inner);
  const parts: (readonly [string, z.core.$ZodType])[] = [];
  const behind = recordsBehind.get(inner);
  if (behind !== undefined) parts.push([name, behind]);
  if (inner instanceof z.ZodArray) parts.push([name, inner.element]);
  if (inner instanceof z.ZodUnion) parts.push(...inner.options.map((option) => [name, option] as const));
  if (inner instanceof z.ZodObject) parts.push(...Object.entries(inner.shape));
  return [...(kind === undefined ? [] : [{ name, kind }]), ...parts.flatMap(([field, part]) => textsIn(part, field))];
}

/** By the output of each tool: walking through a schema takes longer than writing an answer. */
const memberFields = new WeakMap<z.ZodObject, readonly string[]>();

/** The fields of a tool's answers that hold names, titles and addresses which members chose. */
export function memberFieldsOf({ output }: Pick<Tool, 'output'>): readonly string[] {
  const known = memberFields.get(output);
  if (known !== undefined) return known;
  const short = textsIn(output).filter(({ kind }) => kind.kind !== 'block' && kind.by === 'member');
  const names = [...new Set(short.map(({ name }) => name))];
  memberFields.set(output, names);
  return names;
}

/** The answer, with the names of those fields that members chose and that it shows. */
export function withMemberFields(part: Part, tool: Pick<Tool, 'output'>): Part {
  const fields = memberFieldsOf(tool);
  if (fields.length === 0) return part;
  // Within a text, a quote has a backslash before it.
  const json = JSON.stringify(part.data);
  const own = part.data[byMembersKey];
  const shown = fields.filter((field) => json.includes(`"${field}":`));
  return { ...part, data: { ...part.data, [byMembersKey]: [...new Set([own ?? [], shown].flat())] } };
}

/** Whether an operation's answer may contain text that members wrote, their names included. */
export function carriesUserContent(answer: ResponseSchema): boolean {
  return textsIn(answer.kind === 'list' ? answer.item : answer.schema).some(({ kind }) => kind.by === 'member');
}
