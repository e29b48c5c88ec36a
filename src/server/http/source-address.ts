import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Whether an address is one of `entries`: addresses and networks in CIDR notation (RFC 4632). */
function createMatcher(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function forwardedFor({ headers }: IncomingMessage): string[] {
  return [headers['x-forwarded-for'] ?? []].flat().flatMap((value) => value.split(',').map((part) => part.trim()));
}

/**
 * Returns a function that tells who sent a request: the last address that is not a trusted proxy. Anybody can send
 * X-Forwarded-For, so only what trusted proxies have written into it counts.
 */
export function createSourceReader(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = createMatcher(proxies);
  return (request) => {
    const hops = [...forwardedFor(request), request.socket.remoteAddress ?? ''].reverse();
    return hops.find((address) => !isProxy(address)) ?? hops.at(-1) ?? '';
  };
}

/** Whether events from this address are accepted: from any address if `sources` is empty. */
export function createSourceCheck(sources: readonly string[]): (address: string) => boolean {
  return sources.length === 0 ? () => true : createMatcher(sources);
}
