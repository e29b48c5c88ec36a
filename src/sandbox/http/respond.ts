import type { ServerResponse } from 'node:http';
import type { Problem } from '../handler.ts';

/** A response before it is written to the connection. */
export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** API document: "Errors". It mentions a list of supported fields, but not its key: `supported_fields` is a guess. */
export function problemReply(problem: Problem, requestId: string, headers: Record<string, string> = {}): Reply {
  const { status, code, message, supportedFields } = problem;
  const body = {
    error: message,
    errors: [{ code, message }],
    request_id: requestId,
    ...(supportedFields && { supported_fields: supportedFields }),
  };
  return { status, body, headers };
}

export function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
