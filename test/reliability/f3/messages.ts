import { call, each, long, objectTypes, refused, request, tool } from './make.ts';
import type { Malformed } from './malformed.ts';
import { wrongPlaces } from './places.ts';

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
