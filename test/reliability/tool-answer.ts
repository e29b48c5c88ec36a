import * as z from 'zod';
import type { WriteOutcome } from '../../src/shared/errors.ts';

/** The parts of a tool's answer that the reliability figures judge. */
export interface ToolAnswer {
  /** `ok`, or the code of the error. */
  readonly code: string;
  /** The reported outcome of a write. */
  readonly outcome: WriteOutcome | undefined;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** Spent tokens that have not returned yet. Undefined without a limit. */
  readonly tokensOut: number | undefined;
}

const result = z.object({
  content: z.array(z.object({ text: z.string().default('') })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().default(false),
  _meta: z
    .object({ 'academy/budget': z.object({ limit: z.number().optional(), remaining: z.number().optional() }) })
    .partial()
    .default({}),
});

/** An existing record was applied before, so the claim is the same. */
const outcomeName = z
  .enum(['applied', 'already_there', 'not_applied', 'outcome_unknown'])
  .transform((name): WriteOutcome => (name === 'already_there' ? 'applied' : name));

function outcomeOf(data: Record<string, unknown> | undefined, text: string): WriteOutcome | undefined {
  const said = data?.outcome ?? /^Outcome: (\w+)/m.exec(text)?.[1];
  return outcomeName.safeParse(said).data;
}

export function readToolAnswer(given: unknown): ToolAnswer {
  const { content, structuredContent: data, isError, _meta } = result.parse(given);
  const text = content.map((part) => part.text).join('\n');
  const { limit, remaining } = _meta['academy/budget'] ?? {};
  const tokensOut = limit === undefined || remaining === undefined ? undefined : limit - remaining;
  return { code: isError ? (text.split(':')[0] ?? '') : 'ok', outcome: outcomeOf(data, text), text, data, tokensOut };
}
