import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server';
import type { ResourceUpdates } from '../../mcp/listing.ts';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { isObject } from '../../shared/json.ts';
import { commonHeaders, disconnectSignal, type Era, sendJson } from '../http-response.ts';
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

/** Serves clients of 2026-07-28. There are no sessions. */
export function createModernHttp(serviceFor: (principal: Principal) => Service, onerror: (error: Error) => void): Era {
  const serverOf = new WeakMap<Request, () => Server>();
  const handlers = new Map<ResourceUpdates | undefined, McpHttpHandler>();
  const ends: (() => void)[] = [];

  function createServer({ requestInfo }: { requestInfo?: Request }): Server {
    const create = requestInfo && serverOf.get(requestInfo);
    if (create === undefined) throw new Error('the request has no caller');
    return create();
  }

  /** The SDK sends an update to every stream of a handler, so callers with different updates need different handlers. */
  function handlerOf({ lists: { updates } }: Service): McpHttpHandler {
    const known = handlers.get(updates);
    if (known !== undefined) return known;
    const handler = createMcpHandler(createServer, { legacy: 'reject', onerror });
    handlers.set(updates, handler);
    if (updates !== undefined) ends.push(updates.subscribe(handler.notify.resourceUpdated));
    return handler;
  }

  return {
    serve: async ({ request, response, principal, body, trackCall }) => {
      // The SDK would answer an invalid call with the whole output of its validator.
      const call = isObject(body) ? validateMessage(body) : undefined;
      if (call !== undefined && 'problem' in call) return sendJson(response, 400, errorReplyOf(call));
      const webRequest = toWebRequest(request, disconnectSignal(response));
      const service = serviceFor(principal);
      const options = { onCall: trackCall, skills: asksForSkills(body), only: isObject(body) && body.method };
      serverOf.set(webRequest, () => createModernServer(service, options));
      const answer = await handlerOf(service).fetch(webRequest, { parsedBody: body });
      if (!response.destroyed) await writeAnswer(await limitRefusalSize(answer), response);
    },
    close: async () => {
      for (const end of ends) end();
      await Promise.all([...handlers.values()].map((handler) => handler.close()));
    },
  };
}
