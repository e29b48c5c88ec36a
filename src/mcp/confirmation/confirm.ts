import * as z from 'zod';
import { limitedText } from '../../contract/schemas/input-fields.ts';
import { describedOnce } from '../../contract/schemas/listed-form.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import { defineTool, type Presented, type Tool, type ToolContext } from '../tool.ts';
import type { ConfirmCodes } from './confirm-code.ts';
import { consentLines } from './confirmation-message.ts';
import { accountLines, type ConsentRequest, consentRequestOf } from './consent-request.ts';
import { ElicitationRequired } from './elicitation.ts';
import { presentIdlePlan, presentPlan } from './plan-answer.ts';
import { type ConfirmPolicy, needsConsent, takesConfirm } from './policy.ts';

export interface ConfirmSettings {
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

/** Extends the arguments of each tool once, so that all servers share the converted JSON Schema. */
function extendOnce(confirm: z.ZodType) {
  const extended = new WeakMap<Tool['input'], Tool['input']>();
  return (input: Tool['input']): Tool['input'] => {
    const known = extended.get(input) ?? input.extend({ confirm });
    extended.set(input, known);
    return known;
  };
}

/** The argument `confirm` as clients read it, by its name in a listing. */
export const confirmArguments = {
  flag: z.strictObject({ confirm: confirmTrue }),
  code: z.strictObject({ confirm: confirmCode }),
};

const withConfirmTrue = extendOnce(confirmTrue);
const withConfirmCode = extendOnce(confirmCode);

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

async function askThem(
  { lines, subject }: ConsentRequest,
  { askHuman }: ToolContext,
  policy: ConfirmPolicy,
): Promise<void> {
  if (askHuman === undefined) {
    if (policy === 'auto') return;
    throw refusal(
      'declined',
      lines,
      'ACADEMY_CONFIRM=human refuses the call, because this client cannot ask a person.',
    );
  }
  // A client that cannot ask, or returns no valid answer, brings no consent.
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
  settings: ConfirmSettings,
): Promise<Presented | undefined> {
  const { policy, codes } = settings;
  if (policy === 'block') {
    const lines = [...accountLines(context), ...consentLines(tool, input, { titles: {}, facts: [] })];
    throw refusal(
      'declined',
      lines,
      'ACADEMY_CONFIRM=block forbids this call; only the operator of this server can allow it.',
    );
  }
  if (policy === 'preview') return await requireCode(tool, input, confirm, context, codes);
  if (confirm === true && policy === 'argument') return undefined;
  const isAskedAnyway = confirm === true && context.askHuman === undefined && policy === 'auto';
  if (isAskedAnyway) return undefined;
  const question = await consentRequestOf(tool, input, context, policy);
  if (confirm !== true) return withoutConsent(tool, question.lines, `${howTo} confirm: true.`);
  await askThem(question, context, policy);
  return undefined;
}

/** The same. A plan that would change nothing is an answer, too, if the call asks for a plan. */
async function planOrConsent(
  tool: Tool,
  input: Json,
  confirm: unknown,
  context: ToolContext,
  settings: ConfirmSettings,
): Promise<Presented | undefined> {
  const asked = requireConsent(tool, input, confirm, context, settings);
  const isPlan = tool.showsPlan === true && confirm === undefined;
  return await (isPlan ? asked.catch(presentIdlePlan) : asked);
}

/** Requires consent for a destructive tool and, under lockdown, for every tool that writes. */
export function withConfirmation(tool: Tool, settings: ConfirmSettings): Tool {
  if (!takesConfirm(tool, settings.lockdown)) return tool;
  const always = needsConsent(tool);
  const extend = settings.policy === 'preview' ? withConfirmCode : withConfirmTrue;
  return defineTool({
    ...tool,
    input: extend(tool.input),
    run: async ({ confirm, ...rest }, context) => {
      const needsConsent = always || context.conversation.hasUserContent;
      const plan = needsConsent ? await planOrConsent(tool, rest, confirm, context, settings) : undefined;
      return plan ?? (await tool.run(rest, context));
    },
  });
}
