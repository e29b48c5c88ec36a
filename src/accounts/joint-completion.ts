import {
  type CompletionRequest,
  type CompletionResult,
  completionResult,
  noCompletions,
} from '../mcp/completion/complete.ts';
import { holds } from '../mcp/completion/completion-source.ts';
import type { JointOffer } from './joint-offer.ts';
import { type ListsOf, splitUri, templateOf } from './joint-resources.ts';

/** The reference as one account knows it. */
function ownReference({ ref }: CompletionRequest): CompletionRequest['ref'] {
  if (ref.type === 'ref/prompt') return ref;
  const own = splitUri(ref.uri)?.uri;
  return own === undefined || templateOf(own) !== ref.uri ? ref : { ...ref, uri: own };
}

function offersIt({ lists }: ListsOf, ref: CompletionRequest['ref']): boolean {
  return ref.type === 'ref/prompt'
    ? lists.prompts.some(({ name }) => name === ref.name)
    : lists.resourceTemplates.some(({ uriTemplate }) => uriTemplate === ref.uri);
}

/**
 * Completes an argument of a prompt or template of several accounts. `completeFor` asks the one that is filled in; without
 * one there are only completions of the account itself. Throws `RpcError` (-32602) for an unknown prompt or template.
 */
export async function completeJointly(
  request: CompletionRequest,
  { all }: JointOffer,
  completeFor: (account: string, request: CompletionRequest) => Promise<CompletionResult>,
): Promise<CompletionResult> {
  const ref = ownReference(request);
  const names = all.filter((one) => offersIt(one, ref)).map(({ account }) => account);
  // An address of one account is not a template of all.
  const isOwn = request.ref.type === 'ref/resource' && ref === request.ref;
  if (names.length === 0 || isOwn) throw noCompletions(request.ref);
  const { argument, context } = request;
  if (argument.name === 'account') {
    return completionResult({ values: names.filter((name) => holds(argument.value.trim(), name)), more: false });
  }
  const { account = '', ...rest } = context?.arguments ?? {};
  if (!names.includes(account)) return completionResult({ values: [], more: false });
  return await completeFor(account, { ref, argument, context: { arguments: rest } });
}
