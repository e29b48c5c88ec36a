import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type AccountsOptions, type Name, names, startAccounts, startBoth } from './accounts.ts';
import { listen } from './recorder.ts';

/** One request as it arrived, before its marks were taken off. */
interface MarkedRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
  readonly requestId: string | undefined;
}

/** Fields of records that hold a text of the academy. */
const texts = new Set([
  ...['title', 'name', 'email', 'description', 'content'],
  ...['user_email', 'user_name', 'user_first_name', 'user_last_name'],
]);

function withMark(value: unknown, mark: string, key = ''): unknown {
  if (Array.isArray(value)) return value.map((entry) => withMark(entry, mark, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withMark(entry, mark, name)]));
  }
  return typeof value === 'string' && value !== '' && texts.has(key) ? mark + value : value;
}

/**
 * A proxy before an academy that puts a mark before every text in its answers and takes it off in requests, so that every
 * text of this academy can be recognized wherever it turns up. It ends with the test.
 */
async function startMarked(target: string, mark: string) {
  const requests: MarkedRequest[] = [];
  const state = { isDown: false, losesWrites: false };
  const server = createServer(async (incoming, outgoing) => {
    if (state.isDown) return void incoming.socket.destroy();
    const { method = '', url: path = '' } = incoming;
    const { authorization, 'content-type': type } = incoming.headers;
    const body = await text(incoming);
    const answer = await fetch(target + path.replaceAll(mark, ''), {
      method,
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(body === '' ? {} : { body: body.replaceAll(mark, '') }),
    });
    const requestId = answer.headers.get('x-request-id') ?? undefined;
    requests.push({ method, path, authorization, body, requestId });
    const shown = await answer.text();
    if (state.losesWrites && method !== 'GET') {
      state.isDown = true;
      return void incoming.socket.destroy();
    }
    const marked = shown === '' ? '' : JSON.stringify(withMark(JSON.parse(shown), mark));
    const passed = ['content-type', 'x-request-id', 'x-api-version', 'retry-after'];
    const headers = passed.flatMap((name) =>
      answer.headers.has(name) ? [[name, answer.headers.get(name) ?? '']] : [],
    );
    outgoing.writeHead(answer.status, Object.fromEntries(headers));
    outgoing.end(marked);
  });
  return {
    url: await listen(server),
    requests,
    /** Loses the answer to the next write, and every request after it. */
    loseWrite: () => {
      state.losesWrites = true;
    },
  };
}

/** Stands before every text of an account, so that it can be recognized in the answers and requests of another. */
export const markOf = (name: Name) => `text-of-${name}-`;

export function otherThan(name: Name): Name {
  return name === 'north' ? 'south' : 'north';
}

/** The server of `startAccounts`, with a proxy before each account that marks its texts and records its requests. */
export async function startMarkedAccounts({ sandbox, ...options }: AccountsOptions = {}) {
  const { addressOf } = await startBoth(sandbox);
  const [north, south] = await Promise.all(names.map((name) => startMarked(addressOf(name), markOf(name))));
  if (north === undefined || south === undefined) throw new Error('an account has no proxy');
  const addresses = { north: north.url, south: south.url };
  const server = await startAccounts({ ...options, addresses, sandbox: { students: 1, orders: 1 } });
  return { ...server, proxies: { north, south } };
}
