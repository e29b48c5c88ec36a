import * as z from 'zod';
import type { OldValues } from '../../contract/old-values.ts';
import { limitedText } from '../../contract/schemas/input-fields.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import { titlesOf } from '../titles.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';
import type { ConfirmCodes } from './confirm-code.ts';
import { type CallFacts, confirmationMessageOf, consentLines } from './confirmation-message.ts';
import { ElicitationRequired } from './elicitation.ts';
import type { ConfirmPolicy } from './policy.ts';

export interface ConfirmSettings {
  policy: ConfirmPolicy;
  codes: ConfirmCodes;
  /** Writes that take nothing away need consent too, once the conversation has carried text of members. */
  lockdown: boolean;
}

// Not lenient like other flags: consent is the boolean true, or the very code, and nothing that resembles it.
const confirmTrue = z.boolean().optional().describe('true once a person has agreed to exactly this call');
const confirmCode = limitedText(100)
  .optional()
  .describe('The code that the refusal without it shows, once a person has agreed');

/** Each tool's arguments are extended once, so that further servers find their JSON Schema converted already. */
function extendOnce(confirm: z.ZodType) {
  const extended = new WeakMap<Tool['input'], Tool['input']>();
  return (input: Tool['input']): Tool['input'] => {
    const known = extended.get(input) ?? input.extend({ confirm });
    extended.set(input, known);
    return known;
  };
}

const withConfirmTrue = extendOnce(confirmTrue);
const withConfirmCode = extendOnce(confirmCode);

function refusal(code: ErrorCode, facts: readonly string[], hint: string): AcademyError {
  return new AcademyError(code, `${facts.join('\n')}\nNothing was changed`, {
    hint,
    outcome: 'not_applied',
  });
}

/** What makes the call itself wrong ends it, before anybody is asked; so does what a short wait would mend. */
const ending: ReadonlySet<ErrorCode> = new Set(['not_found', 'invalid_input', 'stale_version', 'rate_limited']);

/**
 * Facts that cannot be read are said to be missing, not left out. Of a tool that does many things they are the plan
 * itself: nobody can agree to what they were not shown.
 */
function unreadable({ consent }: Tool, error: unknown): string[] {
  if (!(error instanceof AcademyError)) throw error;
  const isEnding = consent === true || ending.has(error.code);
  if (!isEnding) return [`The facts of now could not be read (${error.code}).`];
  const { code, message, hint } = error;
  throw new AcademyError(code, message, { hint, outcome: 'not_applied', cause: error });
}

/** Whether a call that brings consent reads the facts, too: a code is bound to them, and a person is asked with them. */
function isReadAgain(policy: ConfirmPolicy, { askHuman }: ToolContext): boolean {
  return policy === 'preview' || (policy !== 'argument' && askHuman !== undefined);
}

async function factsOf(tool: Tool, input: Json, context: ToolContext, policy: ConfirmPolicy): Promise<string[]> {
  const reading = tool.confirmationFacts?.(input, context, isReadAgain(policy, context));
  const facts = (await reading?.catch((error: unknown) => unreadable(tool, error))) ?? [];
  // Names that students chose stand among them: from here on a stranger may speak.
  if (facts.length > 0) context.conversation.hasUserContent = true;
  return facts;
}

/** What an update overwrites: what cannot be read is said to be missing. */
async function oldOf(tool: Tool, input: Json, context: ToolContext): Promise<OldValues | undefined> {
  const reading = tool.readOldValues?.(input, context);
  return await reading?.catch((error: unknown) => {
    unreadable(tool, error);
    return { values: {} };
  });
}

/** All that is known of a call before it is made, asked for at the same time. */
async function knownOf(tool: Tool, input: Json, context: ToolContext, policy: ConfirmPolicy): Promise<CallFacts> {
  const facts = factsOf(tool, input, context, policy);
  const old = oldOf(tool, input, context);
  const titles = titlesOf(tool.titled ?? [], input, context);
  const read = await Promise.all([facts, old, titles]);
  return { facts: read[0], old: read[1], titles: read[2] };
}

/** What a person is shown, and what their consent is bound to. */
interface ConsentRequest {
  readonly lines: readonly string[];
  readonly subject: string;
}

/** Titles are not bound: one that cannot be read the second time changes nothing, and the ids are. */
async function questionOf(
  tool: Tool,
  input: Json,
  context: ToolContext,
  policy: ConfirmPolicy,
): Promise<ConsentRequest> {
  const known = await knownOf(tool, input, context, policy);
  const sorted = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  const seen = [confirmationMessageOf(tool, input), known.old ?? null, known.facts];
  return {
    lines: consentLines(tool, input, known),
    subject: JSON.stringify([tool.name, sorted, seen, context.caller]),
  };
}

const howTo = 'Show this to the person you work for. If they agree, call again with the same arguments and';

async function requireCode(
  tool: Tool,
  input: Json,
  code: unknown,
  context: ToolContext,
  codes: ConfirmCodes,
): Promise<void> {
  const cameAt = Date.now();
  const { lines, subject } = await questionOf(tool, input, context, 'preview');
  const problem = code === undefined ? undefined : codes.refuse(code, subject, cameAt);
  if (code !== undefined && problem === undefined) return;
  const told = problem === undefined ? lines : [`${problem}.`, ...lines];
  throw refusal(
    'confirmation_required',
    told,
    `${howTo} confirm: "${codes.issue(subject)}" (good once, for 5 minutes).`,
  );
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
      'ACADEMY_CONFIRM=human: this client cannot ask its human, so the call is refused.',
    );
  }
  // A client that fails to ask, or to bring a proper answer, has brought no consent.
  const said = await askHuman(lines.join('\n'), subject).catch((error: unknown) => {
    if (error instanceof ElicitationRequired || error instanceof AcademyError) throw error;
    return 'not asked' as const;
  });
  if (said === 'agreed') return;
  const told = said === 'declined' ? 'The person was asked and did not agree.' : 'The person could not be asked.';
  throw refusal('declined', [told], 'Do not try again unless they ask for it.');
}

async function requireConsent(
  tool: Tool,
  input: Json,
  confirm: unknown,
  context: ToolContext,
  settings: ConfirmSettings,
): Promise<void> {
  const { policy, codes } = settings;
  if (policy === 'block') {
    const lines = consentLines(tool, input, { titles: {}, facts: [] });
    throw refusal(
      'declined',
      lines,
      'ACADEMY_CONFIRM=block forbids it; only the one who runs this server can allow it.',
    );
  }
  if (policy === 'preview') return await requireCode(tool, input, confirm, context, codes);
  if (confirm === true && policy === 'argument') return;
  const isAskedAnyway = confirm === true && context.askHuman === undefined && policy === 'auto';
  if (isAskedAnyway) return;
  const question = await questionOf(tool, input, context, policy);
  if (confirm !== true) throw refusal('confirmation_required', question.lines, `${howTo} confirm: true.`);
  await askThem(question, context, policy);
}

/** Puts the guard in front of a tool that takes something away and, under lockdown, of every one that writes. */
export function withConfirmation(tool: Tool, settings: ConfirmSettings): Tool {
  const always = tool.effect === 'destroy' || tool.consent === true;
  if (tool.effect === 'read' || (!always && !settings.lockdown)) return tool;
  const extend = settings.policy === 'preview' ? withConfirmCode : withConfirmTrue;
  return defineTool({
    ...tool,
    input: extend(tool.input),
    run: async ({ confirm, ...rest }, context) => {
      if (always || context.conversation.hasUserContent) await requireConsent(tool, rest, confirm, context, settings);
      return await tool.run(rest, context);
    },
  });
}
