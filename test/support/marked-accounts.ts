import { type AccountsOptions, type Name, names, startAccounts, startBoth } from './accounts.ts';
import { passOn } from './pass-on.ts';
import { type Recorded, startRecorder } from './recorder.ts';

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
  const requests: (Recorded & { requestId: string | undefined })[] = [];
  const state = { isDown: false, losesWrites: false };
  const { url } = await startRecorder(async (request) => {
    if (state.isDown) return 'cut';
    const unmarked = { path: request.url.replaceAll(mark, ''), body: request.raw.replaceAll(mark, '') };
    const done = await passOn(target, { ...request, ...unmarked });
    requests.push({ ...request, requestId: done.headers['x-request-id'] });
    if (state.losesWrites && request.method !== 'GET') {
      state.isDown = true;
      return 'cut';
    }
    return { ...done, body: done.body === '' ? '' : withMark(JSON.parse(done.body), mark) };
  });
  return {
    url,
    /** As they arrived, before their marks were taken off. */
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
