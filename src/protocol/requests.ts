import * as z from 'zod';
import type { Lists } from '../mcp/listing.ts';
import { invalidRequest, RpcError } from '../mcp/rpc-error.ts';
import type { ProtocolContext, Service } from '../mcp/service.ts';
import { appsExtension } from '../mcp/view.ts';
import { rpcCodes } from '../shared/errors.ts';
import { isObject, type Json } from '../shared/json.ts';
import { textOfAtMost } from './message.ts';

// The requests that both eras answer alike. The SDKs pass them on unread: their errors are the output of a validator.

export interface Asker {
  readonly asking: ProtocolContext;
  readonly client: unknown;
}

type Handler = (params: unknown, asker: Asker) => Promise<object>;

/** Checks the params before the handler reads them. Arguments of tools and prompts have limits of their own. */
export function handler<Params extends z.ZodType>(
  schema: Params,
  answer: (params: z.output<Params>, asker: Asker) => object | Promise<object>,
): Handler {
  return async (message, asker) => {
    const { data, error } = schema.safeParse(message ?? {});
    const [issue] = error?.issues ?? [];
    if (issue !== undefined) throw invalidRequest(`Invalid params: ${issue.path.join('.')} ${issue.message}`);
    return await answer(data as z.output<Params>, asker);
  };
}

const name = textOfAtMost(255);
const isTexts = (value: unknown) => isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');
const texts = z.custom<Record<string, string>>(isTexts, 'must be an object of texts').optional();

/** No list has a second page. */
const listParams = z.looseObject({ cursor: textOfAtMost(100).optional() });
const callParams = z.looseObject({ name, arguments: z.custom<Json>(isObject, 'must be an object').optional() });
const promptParams = z.looseObject({ name, arguments: texts });
export const resourceParams = z.looseObject({ uri: textOfAtMost(2_000) });
const completionParams = z.looseObject({
  ref: z.discriminatedUnion(
    'type',
    [
      z.looseObject({ type: z.literal('ref/prompt'), name }),
      resourceParams.extend({ type: z.literal('ref/resource') }),
    ],
    'must be an object with the type ref/prompt or ref/resource',
  ),
  argument: z.looseObject({ name, value: z.string('must be text') }, 'must be an object'),
  context: z.looseObject({ arguments: texts }, 'must be an object').optional(),
});

/** The capabilities besides tools. An empty list is not declared. No list changes while the program runs. */
export function declaredCapabilities(
  { resources, resourceTemplates, prompts, views, completions }: Lists,
  subscribe: boolean,
) {
  const ofResources = { listChanged: false, ...(subscribe ? { subscribe } : {}) };
  return {
    ...(resources.length + resourceTemplates.length + views.length > 0 ? { resources: ofResources } : {}),
    ...(prompts.length > 0 ? { prompts: { listChanged: false } } : {}),
    ...(completions ? { completions: {} } : {}),
    // Claude shows no view of a server that does not declare the extension itself.
    ...(views.length > 0 ? { extensions: { [appsExtension]: {} } } : {}),
  };
}

/** Whether the capabilities of a client have an extension. */
export function declares(extension: string, client: unknown): boolean {
  const extensions = isObject(client) ? client.extensions : undefined;
  return isObject(extensions) && extension in extensions;
}

function handlersFor(service: Service): Record<string, Handler> {
  const { lists } = service;
  const { resources, prompts, completions } = declaredCapabilities(lists, false);
  const listTools = () => {
    service.onListed?.();
    return { tools: lists.tools };
  };
  return {
    'tools/list': handler(listParams, listTools),
    'tools/call': handler(callParams, (params, { asking }) => service.call(params.name, params.arguments, asking)),
    ...(resources && {
      // A client without MCP Apps cannot show views.
      'resources/list': handler(listParams, (_params, { client }) => ({
        resources: declares(appsExtension, client) ? [...lists.resources, ...lists.views] : lists.resources,
      })),
      'resources/templates/list': handler(listParams, () => ({ resourceTemplates: lists.resourceTemplates })),
      'resources/read': handler(resourceParams, ({ uri }, { asking }) => service.read(uri, asking)),
    }),
    ...(prompts && {
      'prompts/list': handler(listParams, () => ({ prompts: lists.prompts })),
      'prompts/get': handler(promptParams, (params) => service.prompt(params.name, params.arguments)),
    }),
    ...(completions && {
      'completion/complete': handler(completionParams, (params) => service.complete(params)),
    }),
  };
}

/** Answers every request but those that an SDK answers itself. `more`: handlers of one era. Throws `RpcError`. */
export function createResponder(service: Service, more: Record<string, Handler> = {}) {
  const handlers = new Map(Object.entries({ ...handlersFor(service), ...more }));
  return {
    handles: (method: string) => handlers.has(method),
    answer: async (method: string, params: unknown, asker: Asker): Promise<Json> => {
      const handle = handlers.get(method);
      if (handle === undefined) throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
      return { ...(await handle(params, asker)) };
    },
  };
}

/** `traceparent` of W3C Trace Context, level 1, section 3.2: version, trace id, parent id, flags. */
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id in the `_meta` of a request (specification, "Trace context"): 32 hexadecimal digits, not all 0. */
function traceIdIn(meta: unknown): string | undefined {
  const header = isObject(meta) ? meta.traceparent : undefined;
  const [, id = ''] = typeof header === 'string' ? (traceparent.exec(header) ?? []) : [];
  return /[1-9a-f]/.test(id) ? id : undefined;
}

type Progress = ProtocolContext['progress'];
interface ProgressNotification {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message: string; total?: number };
}

interface OpenRequest {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
}

/** What a call gets from its request. `unasked` reports progress to a client that has not asked for it. */
export function askingOf(
  { signal, _meta }: OpenRequest,
  notify: (notification: ProgressNotification) => Promise<void>,
  askHuman: ProtocolContext['askHuman'],
  unasked: Progress = () => {},
): ProtocolContext {
  const { progressToken } = _meta ?? {};
  const traceId = traceIdIn(_meta);
  if (progressToken === undefined) return { signal, progress: unasked, askHuman, traceId };
  const progress: Progress = (done, total, message) => {
    const params = { progressToken, progress: done, message, ...(total === undefined ? {} : { total }) };
    // Sending fails once the client has disconnected. Its call ends by cancellation.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  return { signal, progress, askHuman, traceId };
}
