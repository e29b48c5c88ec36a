import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { isObject } from '../../shared/json.ts';
import { limitErrorSize } from '../error-size-limit.ts';
import type { AcceptedRequest, Era } from '../http-request.ts';
import { commonHeaders, onClosed, sendJson } from '../http-response.ts';
import { errorReplyOf, largeMetaRefusal, validateMessage } from '../message.ts';
import { createModernServer } from './server.ts';

/** The address is not known to matter, and the body has been read: only the headers count. */
function webRequest({ method = 'POST', headers }: IncomingMessage, signal: AbortSignal): Request {
  const given = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return new Request('http://localhost/mcp', { method, headers: given as [string, string][], signal });
}

/** What the SDK refuses before it comes to a server: bounded like every refusal. */
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
  // A client that leaves in the midst of a stream is no error: its call has been told.
  await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
}

/** Closing the connection is how a client cancels. Specification 2026-07-28, "Cancellation". */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  onClosed(response, () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Serves clients of 2026-07-28: each request stands for itself. */
export function createModernHttp(serviceFor: (principal: Principal) => Service, onerror: (error: Error) => void): Era {
  const asking = new WeakMap<Request, AcceptedRequest>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const accepted = requestInfo && asking.get(requestInfo);
      if (accepted === undefined) throw new Error('a request without a caller');
      const { principal, trackCall } = accepted;
      return createModernServer(serviceFor(principal), trackCall);
    },
    { legacy: 'reject', onerror },
  );
  return {
    serve: async (accepted) => {
      const { request, response, body } = accepted;
      const refused = largeMetaRefusal(body);
      if (refused !== undefined) return sendJson(response, 400, refused);
      // Of a bad call the SDK would tell the whole output of its validator.
      const call = isObject(body) && 'method' in body ? validateMessage(body) : undefined;
      if (call !== undefined && 'problem' in call) return sendJson(response, 400, errorReplyOf(call));
      const asked = webRequest(request, goneSignal(response));
      asking.set(asked, accepted);
      const answer = await handler.fetch(asked, { parsedBody: body });
      if (!response.destroyed) await writeAnswer(await limitRefusalSize(answer), response);
    },
    close: () => handler.close(),
  };
}
