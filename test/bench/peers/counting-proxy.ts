import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AtEnd } from '../benchmark.ts';

/** Passes requests on to an academy, and counts them. */
export interface CountingProxy {
  readonly url: string;
  /** Requests by the status that the academy answered. */
  readonly statuses: ReadonlyMap<number, number>;
}

/** The body of a 429 with no more than the API document shows. */
const bareRefusal = JSON.stringify({
  error: 'Rate limit exceeded',
  errors: [{ code: 'rate_limited', message: 'Rate limit exceeded' }],
  request_id: 'none',
});

/** `saysWhen`: whether a 429 tells when to come back, as that of the sandbox does. The API document shows no such thing. */
export async function openProxy(target: string, saysWhen: boolean, atEnd: AtEnd): Promise<CountingProxy> {
  const statuses = new Map<number, number>();

  function reply(answer: IncomingMessage, response: ServerResponse): void {
    const { statusCode: status = 502, headers } = answer;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 429 || saysWhen) {
      response.writeHead(status, headers);
      answer.pipe(response);
      return;
    }
    answer.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(bareRefusal);
  }

  function passOn(asked: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url } = asked;
    asked.pipe(request(new URL(url ?? '/', target), { method, headers }, (answer) => reply(answer, response)));
  }

  const server = createServer(passOn).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, statuses };
}
