import type * as z from 'zod';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Completes } from './completion.ts';
import { parseInput, refuseLong } from './input/parse-input.ts';
import { errorText } from './output/error-text.ts';
import { invalidRequest } from './rpc-error.ts';

/** Arguments as a prompt contains them: each one line in quotation marks. */
type Quoted<Input extends z.ZodObject> = { [Name in keyof z.output<Input>]: string };

/** A task that a person picks, written out for the assistant. */
export interface Prompt<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Every tool that its text names: without one of them the prompt is not available. */
  readonly needs: readonly string[];
  /** All fields are texts: the protocol has no other arguments of prompts. */
  readonly input: Input;
  readonly completes?: Completes;
  /** Its lines; those whose condition is not met are left out. */
  write(args: Quoted<Input>): readonly (string | false)[];
}

/** `write` only gets what `input` has parsed. */
export function definePrompt<Input extends z.ZodObject>(prompt: Prompt<Input>): Prompt {
  return prompt as unknown as Prompt;
}

export type PromptDescription = ReturnType<typeof describePrompt>;

export function describePrompt({ name, title, description, input }: Prompt) {
  const described = Object.entries(input.shape).map(([field, schema]) => ({
    name: field,
    description: schema.description ?? '',
    required: !schema.safeParse(undefined).success,
  }));
  return { name, title, description, arguments: described };
}

/** The value may come from somebody else than the text around it: nothing in it may end the line or the quotation. */
function quoted(value: string): string {
  // Trimmed line by line: a pattern for blanks before a line break would backtrack at each blank.
  const lines = value.split(/[\n\r\u2028\u2029]/).map((line) => line.trim());
  return JSON.stringify(oneLine(lines.filter((line) => line !== '').join('; '), Number.POSITIVE_INFINITY));
}

/** The result of a prompts/get, as the protocol defines it. Throws `RpcError` (-32602) for missing, invalid or unknown arguments. */
export function writePrompt({ description, input, write }: Prompt, args: Record<string, string> = {}) {
  try {
    refuseLong(input, args);
    // Clients send an empty text for an empty field.
    const filled = Object.entries(args).filter(([, value]) => value.trim() !== '');
    const parsed = parseInput(input, Object.fromEntries(filled));
    const lines = write(
      Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, quoted(String(value))])),
    );
    const text = lines.filter((line) => line !== false).join('\n');
    return { description, messages: [{ role: 'user', content: { type: 'text', text } }] } as const;
  } catch (error) {
    if (error instanceof AcademyError) throw invalidRequest(errorText(error));
    throw error;
  }
}
