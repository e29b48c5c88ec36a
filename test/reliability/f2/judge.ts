import { fileURLToPath } from 'node:url';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import * as z from 'zod';
import { type ObjectSchema, objectOf, understood, valueSchema } from './listed-schema.ts';
import { allowedRequests, refusesAfterLooking } from './own-paths.ts';
import type { Reply } from './session.ts';

/** A tool as tools/list shows it. */
export const listedTool = z.object({
  name: z.string(),
  inputSchema: z.looseObject({}),
  outputSchema: z.looseObject({}),
});
export type ListedTool = z.output<typeof listedTool>;

export function argumentsOf({ inputSchema }: ListedTool): ObjectSchema {
  return objectOf(valueSchema.parse(inputSchema));
}

const toolResult = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().default(false),
});

export const apiKey = 'f2-canary-key-that-nobody-may-see';

const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));
const maxText = 40_000;

/** Internals of the program, which no answer may contain. */
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
    // Text that the caller sent is not a leak.
    .find((part) => part !== undefined && !sent.includes(part));
  return found === undefined ? undefined : `shows internals: ${found}`;
}

export interface Case {
  /** The arguments as JSON text. */
  readonly sent: string;
  readonly reply: Reply | undefined;
  readonly requests: readonly string[];
}

/** The result of an input, for the statistics. */
export type InputResult =
  | 'refused by the protocol'
  | 'invalid_input'
  | 'confirmation_required'
  | 'another error'
  | 'answered';

const ajv = new AjvJsonSchemaValidator();

/** Checks answers against the schemas of tools/list, with another validator than the program's own. */
export function createJudge(tool: ListedTool) {
  const inputIsRight = ajv.getValidator(tool.inputSchema);
  const outputIsRight = ajv.getValidator(tool.outputSchema);

  function judgeProtocolError(
    { code, message }: { code: number; message: string },
    { sent, requests }: Case,
    isObject: boolean,
  ): InputResult {
    if (isObject)
      throw new Error(`object arguments are answered with the protocol error ${code}: ${message.slice(0, 200)}`);
    if (requests.length > 0) throw new Error(`refused, but sent ${requests[0]}`);
    const leak = leakIn(message, sent);
    if (leak !== undefined) throw new Error(leak);
    return 'refused by the protocol';
  }

  function judgeResult(result: unknown, given: Record<string, unknown>, { sent, requests }: Case): InputResult {
    const { content, structuredContent, isError } = toolResult.parse(result);
    const [{ text }] = content;
    const leak = leakIn(text, sent) ?? (text.length > maxText ? `a text of ${text.length} characters` : undefined);
    if (leak !== undefined) throw new Error(leak);
    const code = isError ? (/^\w+(?=:)/.exec(text)?.[0] ?? 'no code') : 'ok';
    const meant = understood(argumentsOf(tool), given);
    const isRight = inputIsRight(meant).valid;
    if (!isRight && code !== 'invalid_input') throw new Error(`the schema refuses it, but: ${code}`);
    const mayLook = isRight && refusesAfterLooking(tool.name);
    const unwanted = requests.find((request) => !mayLook || !request.startsWith('GET '));
    if (code === 'invalid_input' && unwanted !== undefined) throw new Error(`refused, but sent ${unwanted}`);
    if (code === 'internal' || code === 'no code') throw new Error(`answered: ${text.slice(0, 200)}`);
    const allowed = requests.length > 0 ? allowedRequests(tool.name, meant) : [];
    const astray = requests.find((request) => !allowed.includes(request));
    if (astray !== undefined) throw new Error(`sent ${astray}; its own: ${allowed[0]}`);
    if (code === 'ok' && !outputIsRight(structuredContent).valid) throw new Error('the answer breaks its schema');
    return code === 'ok' ? 'answered' : resultOf(code);
  }

  /** Throws the problem of a case. */
  return (one: Case): InputResult => {
    if (one.reply === undefined) throw new Error('no answer');
    const given: unknown = JSON.parse(one.sent);
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (one.reply.error !== undefined) return judgeProtocolError(one.reply.error, one, isObject);
    return judgeResult(one.reply.result, isObject ? (given as Record<string, unknown>) : {}, one);
  };
}

function resultOf(code: string): InputResult {
  return code === 'invalid_input' || code === 'confirmation_required' ? code : 'another error';
}
