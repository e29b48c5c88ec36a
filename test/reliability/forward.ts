import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Done, Received } from './fault.ts';

const passedOn = ['authorization', 'content-type', 'accept', 'user-agent'];
const passedBack = ['content-type', 'x-request-id', 'x-api-version', 'retry-after', 'www-authenticate'];

async function read(response: IncomingMessage): Promise<Done> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  const headers = passedBack.flatMap((name) => {
    const value = response.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body: Buffer.concat(chunks) };
}

/** Forwards requests that were received elsewhere to the server at `target`. */
export function forwarder(target: string) {
  const agent = new Agent({ keepAlive: true });
  const send = ({ method, path, headers, body }: Received) =>
    new Promise<Done>((resolve, reject) => {
      const given = passedOn.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []));
      const length = body.length > 0 ? { 'content-length': body.length } : {};
      const options = { agent, method, headers: { ...Object.fromEntries(given), ...length } };
      const outgoing = httpRequest(target + path, options, (response) => read(response).then(resolve, reject));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}
