import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { freePort } from './free-port.ts';
import { listen } from './recorder.ts';

export interface Delivery {
  body: unknown;
  headers: IncomingHttpHeaders;
}

/** A webhook target. `answer` may be slow, refuse or never answer; by default it accepts. */
export async function startReceiver(
  answer: (response: ServerResponse, count: number) => void = (response) => void response.writeHead(204).end(),
) {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    deliveries.push({ body: await json(request), headers: request.headers });
    answer(response, deliveries.length);
  });
  return { url: `${await listen(server)}/hook`, deliveries };
}

/** A URL where nothing listens. */
export async function closedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/hook`;
}
