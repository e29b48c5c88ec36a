import type { OldValues } from '../../contract/lookups/old-values.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import { titlesOf } from '../titles.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { type CallFacts, confirmationMessageOf, consentLines } from './confirmation-message.ts';
import type { ConfirmPolicy } from './policy.ts';

/** Errors that end the call before a person is asked: the call itself is wrong or would take nothing, or a short wait fixes it. */
const endingCodes: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'confirmation_required',
  'invalid_input',
  'stale_version',
  'rate_limited',
]);

/**
 * Facts that cannot be read are reported as missing. For a tool with `consent` they are the plan itself, and the call
 * fails: a person cannot agree to a plan that was not shown.
 */
function unreadable({ consent }: Tool, error: unknown): string[] {
  if (!(error instanceof AcademyError)) throw error;
  const isEnding = consent === true || endingCodes.has(error.code);
  if (!isEnding) return [`The current facts could not be read (${error.code}).`];
  const { code, message, hint } = error;
  throw new AcademyError(code, message, { hint, outcome: 'not_applied', cause: error });
}

/** Whether a call with consent reads the facts again: a code is bound to them, and the question to a person shows them. */
function isReadAgain(policy: ConfirmPolicy, { askHuman }: ToolContext): boolean {
  return policy === 'preview' || (policy !== 'argument' && askHuman !== undefined);
}

async function factsOf(tool: Tool, input: Json, context: ToolContext, policy: ConfirmPolicy): Promise<string[]> {
  const reading = tool.confirmationFacts?.(input, context, isReadAgain(policy, context));
  const facts = (await reading?.catch((error: unknown) => unreadable(tool, error))) ?? [];
  // They contain names that students chose: from here on, instructions may come from a member.
  if (facts.length > 0) context.conversation.hasUserContent = true;
  return facts;
}

/** The values that an update overwrites. Values that cannot be read are reported as missing. */
async function oldOf(tool: Tool, input: Json, context: ToolContext): Promise<OldValues | undefined> {
  const reading = tool.readOldValues?.(input, context);
  return await reading?.catch((error: unknown) => {
    unreadable(tool, error);
    return { values: {} };
  });
}

/** Everything that the question shows about a call, read concurrently. */
async function knownOf(tool: Tool, input: Json, context: ToolContext, policy: ConfirmPolicy): Promise<CallFacts> {
  const facts = factsOf(tool, input, context, policy);
  const old = oldOf(tool, input, context);
  const titles = titlesOf(tool.titled ?? [], input, context);
  const read = await Promise.all([facts, old, titles]);
  return { facts: read[0], old: read[1], titles: read[2] };
}

/** What a person reads, and what their consent is bound to. */
export interface ConsentRequest {
  readonly lines: readonly string[];
  readonly subject: string;
}

/** The line that names the account, if the caller has several. */
export function accountLines({ account }: ToolContext): string[] {
  return account === undefined ? [] : [`Account: ${account}`];
}

/**
 * The consent is bound to the account and to ids, not to titles: a title that cannot be read the second time does not
 * matter.
 */
export async function consentRequestOf(
  tool: Tool,
  input: Json,
  context: ToolContext,
  policy: ConfirmPolicy,
): Promise<ConsentRequest> {
  const known = await knownOf(tool, input, context, policy);
  const sorted = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  const seen = [confirmationMessageOf(tool, input), known.old ?? null, known.facts];
  return {
    lines: [...accountLines(context), ...consentLines(tool, input, known)],
    subject: JSON.stringify([tool.name, sorted, seen, context.caller, ...accountLines(context)]),
  };
}
