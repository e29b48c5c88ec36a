import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { freePort } from './free-port.ts';
import { listen } from './recorder.ts';

export interface Delivery {
  body: unknown;
  headers: IncomingHttpHeaders;
}

export interface Receiver {
  url: string;
  /** All requests in the order of arrival, accepted or not. */
  deliveries: Delivery[];
}

/** A webhook target. `answer` may be slow, refuse or never answer; by default it accepts. */
export async function startReceiver(
  answer: (response: ServerResponse, count: number) => void = (response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    deliveries.push({ body: JSON.parse(Buffer.concat(chunks).toString('utf8')), headers: request.headers });
    answer(response, deliveries.length);
  });
  return { url: `${await listen(server)}/hook`, deliveries };
}

/** A URL where nothing listens. */
export async function closedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/hook`;
}
