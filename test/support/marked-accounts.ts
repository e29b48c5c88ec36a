import { type AccountsOptions, type Name, names, startAccounts, startBoth } from './accounts.ts';
import { startMarked } from './marked-academy.ts';

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
