import { setTimeout as sleep } from 'node:timers/promises';
import { quotable } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import type { Prompt } from '../prompt.ts';
import type { Resource } from '../resources.ts';
import { invalidRequest } from '../rpc-error.ts';
import type { Completes, CompletionInput, Found } from './completion-source.ts';

/** The parameters of a completion/complete. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Record<string, string> | undefined } | undefined;
}

/** The result of a completion/complete, as the protocol defines it. */
export interface CompletionResult {
  completion: { values: string[]; total?: number; hasMore: boolean };
}

/** The most values of one result (specification, "Completion"). */
const maxValues = 100;
/** The longest query of the API's search, in characters. */
const maxQuery = 255;

/** After this time the person has typed on, in milliseconds. The list is cached for the next keystroke. */
const maxWaitMs = 2_000;

interface Offered {
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
}

export function noCompletions(ref: CompletionRequest['ref']): Error {
  const what = ref.type === 'ref/prompt' ? ref.name : ref.uri;
  return invalidRequest(`No completions for ${asValue(quotable(what, 200))}`);
}

function completesOf({ ref }: CompletionRequest, { resources, prompts }: Offered): Completes {
  const named =
    ref.type === 'ref/prompt'
      ? prompts.find(({ name }) => name === ref.name)
      : resources.find(({ uri }) => uri === ref.uri);
  if (named === undefined) throw noCompletions(ref);
  return named.completes ?? {};
}

const nothing: Found = { values: [], more: false };

/** At most 100 values (specification, "Completion"). */
export function completionResult({ values, more }: Found): CompletionResult {
  const total = more ? {} : { total: values.length };
  return { completion: { values: values.slice(0, maxValues), ...total, hasMore: more || values.length > maxValues } };
}

/** Throws `RpcError` (-32602) for an unknown prompt or template; any other problem gives no values. */
export async function complete(
  request: CompletionRequest,
  offered: Offered,
  { lists, has }: Pick<CompletionInput, 'lists' | 'has'>,
): Promise<CompletionResult> {
  const { argument, context } = request;
  const completes = new Map(Object.entries(completesOf(request, offered)));
  const source = completes.get(argument.name);
  if (source === undefined || argument.value.length > maxQuery) return completionResult(nothing);
  const typed = argument.value.trim();
  const finding = source({ typed, filledIn: context?.arguments ?? {}, lists, has });
  return completionResult(await Promise.race([finding, sleep(maxWaitMs, nothing, { ref: false })]));
}
