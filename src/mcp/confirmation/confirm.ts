import * as z from 'zod';
import type { OldValues } from '../../contract/lookups.ts';
import { describedOnce, limitedText } from '../../contract/schemas/input-fields.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import { byMembersKey } from '../output/fence-free-text.ts';
import { titlesOf } from '../titles.ts';
import { defineTool, type Presented, type Tool, type ToolContext } from '../tool.ts';
import { undoLines } from '../undo-words.ts';
import type { ConfirmCodes } from './confirm-code.ts';
import { type CallFacts, confirmationMessageOf, consentLines } from './confirmation-message.ts';
import { ElicitationRequired } from './elicitation.ts';
import { type ConfirmPolicy, needsConsent, takesConfirm } from './policy.ts';

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

/** Everything that the question shows about a call, read concurrently. */
async function factsOf(tool: Tool, input: Json, context: ToolContext, policy: ConfirmPolicy): Promise<CallFacts> {
  const reading = tool.confirmationFacts?.(input, context, isReadAgain(policy, context));
  const readingOld = tool.readOldValues?.(input, context);
  const [facts = [], old, titles] = await Promise.all([
    reading?.catch((error: unknown) => unreadable(tool, error)),
    readingOld?.catch((error: unknown): OldValues => {
      unreadable(tool, error);
      return { values: {} };
    }),
    titlesOf(tool.titled ?? [], input, context),
  ]);
  // They contain names that students chose: from here on, instructions may come from a member.
  if (facts.length > 0) context.conversation.hasUserContent = true;
  return { facts, old, titles };
}

/** The line that names the account, if the caller has several. */
function accountLines({ account }: ToolContext): string[] {
  return account === undefined ? [] : [`Account: ${account}`];
}

/**
 * What a person reads, and what their consent is bound to: the account and ids, not titles, since a title that cannot be read
 * the second time does not matter.
 */
async function consentRequestOf(tool: Tool, input: Json, context: ToolContext, policy: ConfirmPolicy) {
  const known = await factsOf(tool, input, context, policy);
  const sorted = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  const seen = [confirmationMessageOf(tool, input), known.old ?? null, known.facts];
  return {
    lines: [...accountLines(context), ...consentLines(tool, input, known), ...undoLines(tool, context)],
    subject: JSON.stringify([tool.name, sorted, seen, context.caller, ...accountLines(context)]),
  };
}

interface ConfirmSettings {
  policy: ConfirmPolicy;
  codes: ConfirmCodes;
  /** Whether every write needs consent once the conversation has carried text that members wrote. */
  lockdown: boolean;
}

// Stricter than other flags: consent is the boolean true, or the exact code, and nothing similar.
const confirmTrue = describedOnce(
  z.boolean().describe('true once a person has agreed to exactly this call'),
).optional();
const confirmCode = limitedText(100).optional().describe('The code that the refusal shows, once a person has agreed');

/** The argument `confirm` as clients read it, by its name in a listing. */
export const confirmArguments = z.strictObject({ flag: confirmTrue, code: confirmCode });

function refusal(code: ErrorCode, facts: readonly string[], hint: string): AcademyError {
  return new AcademyError(code, `${facts.join('\n')}\nNothing was changed`, {
    hint,
    outcome: 'not_applied',
  });
}

const howTo = 'Show this to the person you work for. If they agree, repeat the call with the same arguments and';

/** Throws the refusal of a call without consent, or returns its plan if the tool shows one. */
function withoutConsent({ showsPlan }: Tool, lines: readonly string[], next: string): Presented {
  if (showsPlan === true) return presentPlan(lines, next);
  throw refusal('confirmation_required', lines, next);
}

async function requireCode(
  tool: Tool,
  input: Json,
  code: unknown,
  context: ToolContext,
  codes: ConfirmCodes,
): Promise<Presented | undefined> {
  const receivedAt = Date.now();
  const { lines, subject } = await consentRequestOf(tool, input, context, 'preview');
  const problem = code === undefined ? undefined : await codes.refuse(code, subject, receivedAt);
  if (code !== undefined && problem === undefined) return undefined;
  const next = `${howTo} confirm: "${codes.issue(subject)}" (valid once, for 5 minutes).`;
  if (problem === undefined) return withoutConsent(tool, lines, next);
  throw refusal('confirmation_required', [`${problem}.`, ...lines], next);
}

type ConsentRequest = Awaited<ReturnType<typeof consentRequestOf>>;

/** Throws unless the person agrees. A client that cannot ask, or returns no valid answer, brings no consent. */
async function askThem({ lines, subject }: ConsentRequest, { askHuman }: ToolContext): Promise<void> {
  if (askHuman === undefined) {
    const why = 'ACADEMY_CONFIRM=human refuses the call, because this client cannot ask a person.';
    throw refusal('declined', lines, why);
  }
  const answer = await askHuman(lines.join('\n'), subject).catch((error: unknown) => {
    if (error instanceof ElicitationRequired || error instanceof AcademyError) throw error;
    return 'not asked' as const;
  });
  if (answer === 'agreed') return;
  const reason = answer === 'declined' ? 'The person was asked and did not agree.' : 'The person could not be asked.';
  throw refusal('declined', [reason], 'Do not retry unless they ask for it.');
}

/** Throws without consent. Returns the plan of a tool that shows one; undefined if the call may run. */
async function requireConsent(
  tool: Tool,
  input: Json,
  confirm: unknown,
  context: ToolContext,
  { policy, codes }: ConfirmSettings,
): Promise<Presented | undefined> {
  if (policy === 'block') {
    const lines = [...accountLines(context), ...consentLines(tool, input, { titles: {}, facts: [] })];
    const why = 'ACADEMY_CONFIRM=block forbids this call; only the operator of this server can allow it.';
    throw refusal('declined', lines, why);
  }
  if (policy === 'preview') return await requireCode(tool, input, confirm, context, codes);
  const isEnough = policy === 'argument' || (policy === 'auto' && context.askHuman === undefined);
  if (confirm === true && isEnough) return undefined;
  const question = await consentRequestOf(tool, input, context, policy);
  if (confirm !== true) return withoutConsent(tool, question.lines, `${howTo} confirm: true.`);
  await askThem(question, context);
  return undefined;
}

/** Requires consent for a destructive tool and, under lockdown, for every tool that writes. */
export function withConfirmation(tool: Tool, settings: ConfirmSettings): Tool {
  if (!takesConfirm(tool, settings.lockdown)) return tool;
  const always = needsConsent(tool);
  return defineTool({
    ...tool,
    input: tool.input.extend({ confirm: settings.policy === 'preview' ? confirmCode : confirmTrue }),
    run: async ({ confirm, ...rest }, context) => {
      if (!always && !context.conversation.hasUserContent) return await tool.run(rest, context);
      const consent = requireConsent(tool, rest, confirm, context, settings);
      const asksForPlan = tool.showsPlan === true && confirm === undefined;
      const plan = await (asksForPlan ? consent.catch(presentIdlePlan) : consent);
      return plan ?? (await tool.run(rest, context));
    },
  });
}

/** The plan of a call that has no consent yet, as an answer. Both forms have every line. */
function presentPlan(lines: readonly string[], next: string): Presented {
  const [first = '', ...others] = lines;
  return {
    summary: `Plan, nothing was changed: ${first}`,
    // Its lines quote names that members chose.
    data: { outcome: 'not_applied', plan: lines, next, [byMembersKey]: ['plan'] },
    uncut: ['plan', 'next'],
    body: () => [...others, 'Outcome: not_applied', `Next: ${next}`],
  };
}

/** A plan that would change nothing, as an answer. Rethrows every other error. */
function presentIdlePlan(error: unknown): Presented {
  if (!(error instanceof AcademyError) || error.code !== 'not_applied') throw error;
  const { message, hint = 'Nothing is left to do.' } = error;
  return presentPlan(message.split('\n'), hint);
}
