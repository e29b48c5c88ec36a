import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventNames } from '../../../src/contract/events.ts';
import { identityOf } from './identity.ts';

/** A second target of the academy's webhooks, which is always there: it knows what was sent. */
export interface Recorder {
  readonly webhooks: { event: (typeof eventNames)[number]; url: string }[];
  /** The identities of the events that were sent so far. Two with the same body are one: the server cannot tell them apart. */
  sent(): string[];
  close(): void;
}

export async function startRecorder(): Promise<Recorder> {
  const bodies = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const event = request.url?.slice(1) ?? '';
    const body = Buffer.concat(chunks).toString('utf8');
    bodies.set(`${event} ${body}`, identityOf(event, JSON.parse(body)));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    webhooks: eventNames.map((event) => ({ event, url: `http://127.0.0.1:${port}/${event}` })),
    sent: () => [...bodies.values()],
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
