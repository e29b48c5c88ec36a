import { fileURLToPath } from 'node:url';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import * as z from 'zod';
import { allowedRequests } from './own-paths.ts';
import type { Reply } from './session.ts';

/** A tool as tools/list shows it. */
export const listedTool = z.object({
  name: z.string(),
  inputSchema: z.looseObject({
    properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
    required: z.array(z.string()).default([]),
  }),
  outputSchema: z.looseObject({}),
});
export type ListedTool = z.output<typeof listedTool>;

const toolResult = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().default(false),
});

export const apiKey = 'f2-canary-key-that-nobody-may-see';

const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));
const longestText = 40_000;

/** What no answer may hold: the insides of the program. */
const insides = [
  projectFolder,
  apiKey,
  'node_modules',
  'node:internal',
  'ZodError',
  /\n\s+at .+:\d+/,
  /\.[jt]s:\d+:\d+/,
];

function leakIn(text: string, sent: string): string | undefined {
  const found = insides
    .map((inside) =>
      typeof inside === 'string' ? (text.includes(inside) ? inside : undefined) : inside.exec(text)?.[0],
    )
    // What the caller wrote itself is no leak.
    .find((part) => part !== undefined && !sent.includes(part));
  return found === undefined ? undefined : `shows its insides: ${found}`;
}

/** Arguments as the tool understands them: "42" for 42, "true" for true, 42 for a slug. The protocol drops `__proto__`. */
function understood({ properties }: ListedTool['inputSchema'], given: Record<string, unknown>) {
  const entries = Object.entries(given).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(entries.map(([name, value]) => [name, understoodValue(properties, name, value)]));
}

function understoodValue(properties: ListedTool['inputSchema']['properties'], name: string, value: unknown): unknown {
  const type = Object.hasOwn(properties, name) ? JSON.stringify(properties[name]) : '';
  if (typeof value === 'number')
    return (name === 'id_or_slug' || name === 'order_id') && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof value !== 'string') return value;
  if (type.includes('"integer"') && /^[+-]?\d{1,15}$/.test(value.trim())) return Number(value);
  if (type.includes('"boolean"') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

export interface Case {
  /** The arguments as JSON text. */
  readonly sent: string;
  readonly reply: Reply | undefined;
  readonly requests: readonly string[];
}

/** What became of an input, for the count. */
export type Fate = 'refused by the protocol' | 'invalid_input' | 'confirmation_required' | 'another error' | 'answered';

const ajv = new AjvJsonSchemaValidator();

/** Holds answers against what tools/list promises, by another validator than the program's own. */
export function createJudge(tool: ListedTool) {
  const inputIsRight = ajv.getValidator(tool.inputSchema);
  const outputIsRight = ajv.getValidator(tool.outputSchema);

  function judgeProtocolError(
    { code, message }: { code: number; message: string },
    { sent, requests }: Case,
    isObject: boolean,
  ): Fate {
    if (isObject)
      throw new Error(
        `arguments that are an object are answered with the protocol error ${code}: ${message.slice(0, 200)}`,
      );
    if (requests.length > 0) throw new Error(`refused, but sent ${requests[0]}`);
    const leak = leakIn(message, sent);
    if (leak !== undefined) throw new Error(leak);
    return 'refused by the protocol';
  }

  function judgeResult(result: unknown, given: Record<string, unknown>, { sent, requests }: Case): Fate {
    const { content, structuredContent, isError } = toolResult.parse(result);
    const [{ text }] = content;
    const leak = leakIn(text, sent) ?? (text.length > longestText ? `a text of ${text.length} characters` : undefined);
    if (leak !== undefined) throw new Error(leak);
    const code = isError ? (/^\w+(?=:)/.exec(text)?.[0] ?? 'no code') : 'ok';
    const meant = understood(tool.inputSchema, given);
    if (!inputIsRight(meant).valid && code !== 'invalid_input') throw new Error(`the schema refuses it, but: ${code}`);
    if (code === 'invalid_input' && requests.length > 0) throw new Error(`refused, but sent ${requests[0]}`);
    if (code === 'internal' || code === 'no code') throw new Error(`answered: ${text.slice(0, 200)}`);
    const allowed = requests.length > 0 ? allowedRequests(tool.name, meant) : [];
    const astray = requests.find((request) => !allowed.includes(request));
    if (astray !== undefined) throw new Error(`sent ${astray}; its own: ${allowed[0]}`);
    if (code === 'ok' && !outputIsRight(structuredContent).valid) throw new Error('the answer breaks its schema');
    return code === 'ok' ? 'answered' : fateOf(code);
  }

  /** Throws what is wrong with a case. */
  return (one: Case): Fate => {
    if (one.reply === undefined) throw new Error('no answer');
    const given: unknown = JSON.parse(one.sent);
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (one.reply.error !== undefined) return judgeProtocolError(one.reply.error, one, isObject);
    return judgeResult(one.reply.result, isObject ? (given as Record<string, unknown>) : {}, one);
  };
}

function fateOf(code: string): Fate {
  return code === 'invalid_input' || code === 'confirmation_required' ? code : 'another error';
}
