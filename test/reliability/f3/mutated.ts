import type { Random } from '../../../src/sandbox/seed/random.ts';
import type { Malformed } from './malformed.ts';

const right = [
  { id: 'ping', method: 'ping' },
  { id: 'list', method: 'tools/list', params: {} },
  { id: 'call', method: 'tools/call', params: { name: 'list_roles', arguments: { limit: 3 } } },
  {
    id: 'posts',
    method: 'tools/call',
    params: { name: 'search_products', arguments: { query: 'ünï', product_type: 'course' } },
  },
  {
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  },
  { method: 'notifications/cancelled', params: { requestId: 'none', reason: 'no reason' } },
].map((message) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));

type Change = (bytes: Buffer, random: Random) => Buffer;

const at = (bytes: Buffer, random: Random) => random.integer(0, Math.max(0, bytes.length - 1));

const flip: Change = (bytes, random) => {
  const changed = Buffer.from(bytes);
  const place = at(bytes, random);
  changed[place] = (changed[place] ?? 0) ^ (1 << random.integer(0, 7));
  return changed;
};

const cut: Change = (bytes, random) => {
  const from = at(bytes, random);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + random.integer(1, 12))]);
};

const double: Change = (bytes, random) => {
  const from = at(bytes, random);
  const part = bytes.subarray(from, from + random.integer(1, 30));
  return Buffer.concat([bytes.subarray(0, from), part, part, bytes.subarray(from + part.length)]);
};

const insert: Change = (bytes, random) => {
  const place = at(bytes, random);
  const added = Buffer.from(Array.from({ length: random.integer(1, 6) }, () => random.integer(0, 255)));
  return Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(place)]);
};

const token: Change = (bytes, random) => {
  const place = at(bytes, random);
  const added = random.pick(['null', '{}', '[]', '1e999', '"\\u0000"', '-', ',', ':', '}', ']', '"', '\\', '\n']);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(added), bytes.subarray(place)]);
};

const changes = [flip, cut, double, insert, token];

/** Valid messages with one to three changes to their bytes. */
export function mutatedMessages(count: number, random: Random): Malformed[] {
  return Array.from({ length: count }, (_, number) => {
    let bytes: Buffer = random.pick(right);
    for (let left = random.integer(1, 3); left > 0; left -= 1) bytes = random.pick(changes)(bytes, random);
    return { name: `changed message ${number}: ${JSON.stringify(bytes.toString('latin1')).slice(0, 200)}`, bytes };
  });
}
