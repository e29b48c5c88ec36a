import type { AccountApp } from '../app.ts';
import type { CallResult } from '../mcp/call-tool.ts';
import type { AccountLister } from '../mcp/catalog.ts';
import type { ConfirmCodes } from '../mcp/confirmation/confirm-code.ts';
import { parseInput } from '../mcp/input/parse-input.ts';
import { errorText, outcomeOf } from '../mcp/output/error-text.ts';
import { type Truncated, truncate } from '../mcp/output/truncate.ts';
import type { Principal } from '../mcp/principal.ts';
import { invalidRequest, noResource } from '../mcp/rpc-error.ts';
import { type ProtocolContext, type Service, unknownPrompt, unknownTool } from '../mcp/service.ts';
import type { Conversation } from '../mcp/tool.ts';
import { AcademyError } from '../shared/errors.ts';
import { takeAccount } from './account-argument.ts';
import { type Account, accountFacts } from './accounts.ts';
import { completeJointly } from './joint-completion.ts';
import type { JointOffer } from './joint-offer.ts';
import { forAccount } from './joint-prompts.ts';
import { splitUri, withSentUri } from './joint-resources.ts';
import { refuseAccount } from './refuse-account.ts';

interface JointServiceOptions {
  readonly offer: JointOffer;
  readonly appOf: (account: Account) => AccountApp;
  readonly lister: AccountLister;
  readonly name: string;
  readonly version: string;
  readonly codes: ConfirmCodes;
}

function resultOf({ text, data }: Truncated): CallResult {
  return { content: [{ type: 'text', text }], structuredContent: data, _meta: {} };
}

/** Turns an error of the arguments into a result, as for every other argument. */
function failure(error: unknown, isWrite: boolean): CallResult {
  if (!(error instanceof AcademyError)) throw error;
  const text = errorText(error, outcomeOf(error, isWrite));
  return { content: [{ type: 'text', text }], isError: true, _meta: {} };
}

/** Several accounts as one service: each call goes to the account that it names, and to no other. */
export function createJointService(
  { offer, appOf, lister, name, version, codes }: JointServiceOptions,
  principal: Principal,
  conversation: Conversation,
): Service {
  const { names, accounts, allowed, title, instructions, tools, listed, updates, lacksEvents } = offer;
  const services = new Map<string, Service>();

  function serviceOf(account: string): Service | undefined {
    const found = accounts.find((one) => one.name === account);
    if (found === undefined) return undefined;
    const service = services.get(account) ?? appOf(found).serviceFor(principal, conversation);
    services.set(account, service);
    return service;
  }

  function serviceIn(given: unknown): { account: string; service: Service; rest: Record<string, unknown> } {
    const { account, rest } = takeAccount(given, names);
    const service = serviceOf(account);
    if (service === undefined) throw new Error('an open account has no service');
    return { account, service, rest };
  }

  async function call(tool: string, given: unknown, asking: ProtocolContext): Promise<CallResult> {
    const known = allowed.get(tool);
    try {
      if (tool === lister.name) {
        parseInput(lister.input, given);
        return resultOf(truncate(lister.present(accounts.map(accountFacts))));
      }
      if (known === undefined) throw unknownTool(tool);
      const { account, service, rest } = serviceIn(given);
      refuseAccount(known, account, accounts, lacksEvents(tool, account));
      return await service.call(tool, rest, { ...asking, account });
    } catch (error) {
      return failure(error, known?.[0].description.annotations.readOnlyHint === false);
    }
  }

  async function read(sent: string, asking: ProtocolContext) {
    const found = splitUri(sent);
    const service = found && serviceOf(found.account);
    if (found === undefined || service === undefined) throw noResource(sent);
    try {
      const { contents, _meta } = await service.read(found.uri, asking);
      return { contents: contents.map((part) => ({ ...part, uri: sent })), _meta };
    } catch (error) {
      throw withSentUri(error, found.uri, sent);
    }
  }

  async function prompt(promptName: string, given: Record<string, string> | undefined) {
    if (!listed.prompts.some((one) => one.name === promptName)) throw unknownPrompt(promptName);
    try {
      const { account, service, rest } = serviceIn(given);
      return forAccount(await service.prompt(promptName, rest as Record<string, string>), account);
    } catch (error) {
      throw error instanceof AcademyError ? invalidRequest(errorText(error)) : error;
    }
  }

  return {
    name,
    version,
    title,
    instructions,
    codes,
    listed,
    updates,
    tools,
    call,
    read,
    prompt,
    complete: (request) =>
      completeJointly(request, offer, async (account, own) => {
        const service = serviceOf(account);
        return service === undefined ? { completion: { values: [], hasMore: false } } : await service.complete(own);
      }),
  };
}
