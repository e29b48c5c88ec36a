import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** One request with exactly these header lines, which `fetch` would not send: a foreign Host, the same header twice. */
export function rawRequest(
  url: string,
  method: string,
  headers: readonly (readonly [name: string, value: string])[],
  body?: string,
): Promise<RawAnswer> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, path: pathname, method, headers: headers.flat(), agent: false });
    sent.once('error', reject);
    sent.once('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: await text(response) });
    });
    sent.end(body);
  });
}
