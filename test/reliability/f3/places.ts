import { call, each, long, notice, objectTypes, request, tool } from './make.ts';
import type { Malformed } from './malformed.ts';

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };

const greetings: Malformed[] = [
  ...each(
    'initialize again with version',
    [null, 1, '', 'x', '1999-01-01', '2999-01-01', long],
    (protocolVersion, id) => request(id, 'initialize', { ...hello, protocolVersion }),
  ),
  ...each(
    'initialize again with capabilities',
    [...objectTypes, { elicitation: 1 }, { sampling: [] }],
    (capabilities, id) => request(id, 'initialize', { ...hello, capabilities }),
  ),
  ...each(
    'initialize again with client',
    [...objectTypes, {}, { name: 1 }, { name: long, version: long }],
    (clientInfo, id) => request(id, 'initialize', { ...hello, clientInfo }),
  ),
  ...each('initialize as a notification', [hello, {}, null], (params) => notice('initialize', params)),
];

const notices: Malformed[] = [
  ...each('a call as a notification', [tool, {}, null, 'x'], (params) => notice('tools/call', params)),
  ...each('a notification as a request', ['initialized', 'cancelled', 'progress', 'roots/list_changed'], (name, id) =>
    request(id, `notifications/${name}`, {}),
  ),
  ...each('a notification', ['no/such', 'message', 'tools/list_changed', '__proto__', long], (name) =>
    notice(`notifications/${name}`, {}),
  ),
  ...each('initialized again', [null, 1, {}, { _meta: 1 }], (params) => notice('notifications/initialized', params)),
  ...each('cancelled', [null, 1, {}, [], 'never', 2 ** 53, '__proto__'], (requestId) =>
    notice('notifications/cancelled', { requestId }),
  ),
  ...each('cancelled with reason', [1, {}, long], (reason) =>
    notice('notifications/cancelled', { requestId: 'never', reason }),
  ),
  ...each('progress', [null, 1, {}, 'never'], (progressToken) =>
    notice('notifications/progress', { progressToken, progress: 1 }),
  ),
  ...each('progress of', [null, 'x', -1, 1e308], (progress) =>
    notice('notifications/progress', { progressToken: 1, progress }),
  ),
];

const answers: Malformed[] = [
  ...each('an unrequested answer', [0, 1, 'never', null, 2 ** 53], (id) => ({ jsonrpc: '2.0', id, result: {} })),
  ...each('an answer of', [null, 1, 'x', []], (result) => ({ jsonrpc: '2.0', id: 1, result })),
  ...each('an unrequested error', [0, 'never', null], (id) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32000, message: 'x' },
  })),
  ...each('an error of', [null, 1, 'x', {}, { code: 'x', message: 1 }, { code: 1.5, message: '' }], (error) => ({
    jsonrpc: '2.0',
    id: 1,
    error,
  })),
];

const ping = (id: string) => request(id, 'ping');

const batches: Malformed[] = [
  ...each(
    'a batch',
    [
      [],
      [[]],
      [null],
      [1, 2],
      [ping('a')],
      [ping('b'), ping('c')],
      [ping('d'), 'x'],
      [call('e', tool), call('f', tool)],
    ],
    (value) => value,
  ),
  ...each('a batch of', [1_000, 20_000], (count) =>
    Array.from({ length: Number(count) }, (_, index) => ping(`batch ${index}`)),
  ),
];

/** Unexpected greetings, notifications, answers and batches. */
export function wrongPlaces(): Malformed[] {
  return [...greetings, ...notices, ...answers, ...batches];
}
