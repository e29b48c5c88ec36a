import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { ResourceUpdates } from '../../mcp/listing.ts';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { isObject } from '../../shared/json.ts';
import type { Era, McpRequest } from '../http-response.ts';
import { commonHeaders, disconnectSignal, sendJson } from '../http-response.ts';
import { errorReplyOf, limitErrorSize, validateMessage } from '../message.ts';
import { createModernServer } from './server.ts';
import { asksForSkills } from './skills.ts';

/** Builds a web request from method and headers. The SDK does not use the URL, and the body is parsed already. */
function toWebRequest({ method = 'POST', headers }: IncomingMessage, signal: AbortSignal): Request {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return new Request('http://localhost/mcp', { method, headers: entries as [string, string][], signal });
}

/** Limits the size of an error that the SDK sends before it reaches a server. */
async function limitRefusalSize(answer: Response): Promise<Response> {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  if (answer.status < 400 || !isJson) return answer;
  const body: unknown = await answer.json();
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return Response.json(isObject(body) ? limitErrorSize(body) : body, { status: answer.status, headers });
}

async function writeAnswer(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...commonHeaders });
  if (answer.body === null) return void response.end();
  // A client that disconnects during a stream is no error: its call is cancelled.
  // A cast, since code that compiles with the types of a browser has another type of the same name.
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => {});
}

/** The SDK sends each update to every stream that asks for its address, so a stream may ask only for those of its caller. */
function withOwnSubscriptions(body: unknown, serviceOf: () => Service): unknown {
  if (!isObject(body) || body.method !== 'subscriptions/listen' || !isObject(body.params)) return body;
  const { notifications } = body.params;
  if (!isObject(notifications) || !Array.isArray(notifications.resourceSubscriptions)) return body;
  const { updates } = serviceOf().lists;
  const isOwn = (uri: unknown) => typeof uri === 'string' && updates?.covers(uri) === true;
  const resourceSubscriptions = notifications.resourceSubscriptions.filter(isOwn);
  return { ...body, params: { ...body.params, notifications: { ...notifications, resourceSubscriptions } } };
}

interface ModernHttpOptions {
  serviceFor(principal: Principal): Service;
  onerror(error: Error): void;
  /** The updates that this caller shares with others, by a name. */
  updatesFor(principal: Principal): { readonly name: string; readonly updates: ResourceUpdates | undefined };
}

/** Serves clients of 2026-07-28. There are no sessions. */
export function createModernHttp({ serviceFor, onerror, updatesFor }: ModernHttpOptions): Era {
  const acceptedOf = new WeakMap<Request, McpRequest>();
  const handlers = new Map<string, McpHttpHandler>();
  const ends: (() => void)[] = [];

  const createHandler = () =>
    createMcpHandler(
      ({ requestInfo }) => {
        const accepted = requestInfo && acceptedOf.get(requestInfo);
        if (accepted === undefined) throw new Error('the request has no caller');
        const { principal, trackCall, body } = accepted;
        const only = isObject(body) && body.method;
        return createModernServer(serviceFor(principal), { onCall: trackCall, skills: asksForSkills(body), only });
      },
      { legacy: 'reject', onerror },
    );

  /** The SDK sends an update to every stream of a handler, so callers of different accounts need different handlers. */
  function handlerOf(principal: Principal): McpHttpHandler {
    const { name, updates } = updatesFor(principal);
    const known = handlers.get(name);
    if (known !== undefined) return known;
    const handler = createHandler();
    handlers.set(name, handler);
    if (updates !== undefined) ends.push(updates.subscribe(handler.notify.resourceUpdated));
    return handler;
  }

  return {
    serve: async (accepted) => {
      const { request, response, principal } = accepted;
      const body = withOwnSubscriptions(accepted.body, () => serviceFor(principal));
      // The SDK would answer an invalid call with the whole output of its validator.
      const call = isObject(body) ? validateMessage(body) : undefined;
      if (call !== undefined && 'problem' in call) return sendJson(response, 400, errorReplyOf(call));
      const webRequest = toWebRequest(request, disconnectSignal(response));
      acceptedOf.set(webRequest, accepted);
      const answer = await handlerOf(principal).fetch(webRequest, { parsedBody: body });
      if (!response.destroyed) await writeAnswer(await limitRefusalSize(answer), response);
    },
    close: async () => {
      for (const end of ends) end();
      await Promise.all([...handlers.values()].map((handler) => handler.close()));
    },
  };
}
