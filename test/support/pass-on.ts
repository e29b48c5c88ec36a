import type { IncomingHttpHeaders } from 'node:http';

/** A request, with the query in its path. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  body: string;
}

export type Done = Awaited<ReturnType<typeof passOn>>;

const passedOn = ['authorization', 'content-type', 'accept', 'user-agent'];
const passedBack = ['content-type', 'x-request-id', 'x-api-version', 'retry-after', 'www-authenticate'];

/** What a proxy does: sends a request to another server, and returns its answer. */
export async function passOn(target: string, { method, path, headers, body }: Received) {
  const given = passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  const init = { method, headers: Object.fromEntries(given), ...(body !== '' && { body }) };
  const answer = await fetch(target + path, { ...init, redirect: 'manual' });
  const shown = [...answer.headers].filter(([name]) => passedBack.includes(name));
  return { status: answer.status, headers: Object.fromEntries(shown), body: await answer.text() };
}
