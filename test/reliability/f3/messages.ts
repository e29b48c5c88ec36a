import type { Malformed } from './malformed.ts';

type Json = Record<string, unknown>;

const long = 'a'.repeat(100_000);

const request = (id: unknown, method: unknown, params?: unknown): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const notice = (method: unknown, params?: unknown): Json => ({ jsonrpc: '2.0', method, params });
const call = (id: unknown, params: unknown): Json => request(id, 'tools/call', params);
const tool = { name: 'list_roles', arguments: {} };

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 40 ? `${text.slice(0, 40)}… of ${text.length}` : text;
}

function each(what: string, values: readonly unknown[], make: (value: unknown, id: string) => unknown): Malformed[] {
  return values.map((value) => {
    const name = `${what}: ${shown(value)}`;
    return { name, bytes: Buffer.from(JSON.stringify(make(value, name))) };
  });
}

/** Like `each`, for requests with a readable id: they must be answered with an error. */
function refused(what: string, values: readonly unknown[], make: (value: unknown, id: string) => unknown): Malformed[] {
  return each(what, values, make).map((one) => ({ ...one, refused: one.name }));
}

const objectTypes = [null, true, 1, 'x', [], [1]];

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
function wrongPlaces(): Malformed[] {
  return [...greetings, ...notices, ...answers, ...batches];
}

const wrongTypes = [null, true, 1, 1.5, '', 'x', [], [1], {}];

const envelopes: Malformed[] = [
  ...each('version', [null, true, 2, '', '1.0', '2', '2.00', [], {}, undefined], (jsonrpc, id) => ({
    jsonrpc,
    id,
    method: 'ping',
  })),
  ...each('id', [null, true, 1.5, -1, 2 ** 53, 1e308, [], [1], {}, { a: 1 }, '', long, '__proto__'], (id) =>
    request(id, 'ping'),
  ),
  ...each('id twice in use', ['same'], (id) => [request(id, 'ping'), request(id, 'ping')]),
  ...each('method', wrongTypes, (method, id) => request(id, method)),
  ...refused('params', objectTypes, (params, id) => request(id, 'ping', params)),
  ...each('both result and error', [1], (value, id) => ({
    jsonrpc: '2.0',
    id,
    result: {},
    error: { code: value, message: '' },
  })),
  ...each('request and response', [1], (_value, id) => ({ ...request(id, 'ping'), result: {} })),
  ...each('an unknown field', [1, null], (value, id) => ({ ...request(id, 'ping'), extra: value })),
];

const unknownMethods = [
  'no/such',
  'rpc.discover',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'TOOLS/CALL',
  'tools/call ',
  'tools/call\u0000',
  '../tools/call',
  'resources/subscribe',
  'logging/setLevel',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'tasks/list',
  'tasks/get',
  'tasks/cancel',
  'server/discover',
  long,
];

const calls: Malformed[] = [
  ...refused('method', unknownMethods, (method, id) => request(id, method, {})),
  ...refused('params of a call', [...objectTypes, undefined], (params, id) => call(id, params)),
  ...refused('params of a call', [{}, { arguments: {} }], (params, id) => call(id, params)),
  ...refused(
    'tool',
    [
      null,
      true,
      1,
      [],
      {},
      '',
      'no_such',
      '__proto__',
      'constructor',
      'LIST_ROLES',
      'list_roles ',
      'list_roles\u0000',
      long,
    ],
    (name, id) => call(id, { ...tool, name }),
  ),
  ...refused(
    'arguments',
    [null, true, 1, 'x', [], [1], { limit: {} }, { limit: 1e308 }, { unknown: 1 }, { cursor: long }],
    (given, id) => call(id, { ...tool, arguments: given }),
  ),
  ...each(
    '_meta of a call',
    [
      null,
      true,
      1,
      'x',
      [],
      {},
      { progressToken: {} },
      { progressToken: 1.5 },
      { progressToken: null },
      { progressToken: long },
    ],
    (_meta, id) => call(id, { ...tool, _meta }),
  ),
  ...each('related task', [null, 1, {}, { taskId: 1 }, { taskId: 'none' }], (value, id) =>
    call(id, { ...tool, _meta: { 'io.modelcontextprotocol/related-task': value } }),
  ),
  ...each('task', [null, 1, 'x', [], {}, { ttl: -1 }, { ttl: 1e308 }], (task, id) => call(id, { ...tool, task })),
  ...each('cursor of tools/list', [null, 1, [], {}, '', 'x', long], (cursor, id) =>
    request(id, 'tools/list', { cursor }),
  ),
];

const ref = { type: 'ref/prompt', name: 'restructure_course' };

/** Methods other than those of tools. */
const others: Malformed[] = [
  ...refused(
    'params of resources/read',
    [...objectTypes, undefined, {}, { uri: 1 }, { uri: '' }, { uri: long }],
    (params, id) => request(id, 'resources/read', params),
  ),
  ...refused(
    'params of prompts/get',
    [...objectTypes, undefined, {}, { name: 'constructor' }, { name: long }, { ...ref, arguments: { course: [] } }],
    (params, id) => request(id, 'prompts/get', params),
  ),
  ...refused(
    'params of completion/complete',
    [...objectTypes, undefined, {}, { ref }, { ref, argument: { name: 'course' } }, { ref: { type: 'ref/x' } }],
    (params, id) => request(id, 'completion/complete', params),
  ),
  ...each('what is completed', ['__proto__', 'toString', long], (name, id) =>
    request(id, 'completion/complete', { ref, argument: { name, value: long } }),
  ),
];

/** Well-formed JSON that is an invalid message, or a valid one in the wrong place. */
export function wrongMessages(): Malformed[] {
  return [...envelopes, ...calls, ...others, ...wrongPlaces()];
}
