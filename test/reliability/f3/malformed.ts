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

const pinging = (id: string) => request(id, 'ping');

const batches: Malformed[] = [
  ...each(
    'a batch',
    [
      [],
      [[]],
      [null],
      [1, 2],
      [pinging('a')],
      [pinging('b'), pinging('c')],
      [pinging('d'), 'x'],
      [call('e', tool), call('f', tool)],
    ],
    (value) => value,
  ),
  ...each('a batch of', [1_000, 20_000], (count) =>
    Array.from({ length: Number(count) }, (_, index) => pinging(`batch ${index}`)),
  ),
];

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

const mebibyte = 2 ** 20;
const ping = (id: string, more: object = {}) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', ...more });

function deep(open: string, close: string, depth: number): string {
  return open.repeat(depth) + close.repeat(depth);
}

const callWith = (id: string, json: string) =>
  `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"list_roles","arguments":${json}}}`;

const texts: Readonly<Record<string, string>> = {
  'an empty line': '',
  'a blank': ' ',
  'a carriage return': '\r',
  'a tabulator': '\t',
  'a vertical tabulator': '\v',
  words: 'not json',
  'an opened object': '{',
  'a closed object': '}',
  'an opened list': '[',
  'a closed list': ']',
  'an opened string': '"',
  'an empty object': '{}',
  'null alone': 'null',
  'true alone': 'true',
  'a number alone': '0',
  'a number beyond all': '1e999',
  'a text alone': '"text"',
  'an object of another kind': '{"hello":"world"}',
  'a version and nothing else': '{"jsonrpc":"2.0"}',
  'half a request': '{"jsonrpc":"2.0","id":"half","meth',
  'a request without its end': ping('open').slice(0, -1),
  'a request with a tail': `${ping('tail')}}`,
  'two requests on one line': ping('first') + ping('second'),
  'a request over two lines': ping('broken').replace(',', ',\n'),
  'a trailing comma': '{"jsonrpc":"2.0","id":"comma","method":"ping",}',
  'single quotes': "{'jsonrpc':'2.0','id':'quotes','method':'ping'}",
  'a comment': `/* hello */ ${ping('comment')}`,
  'not a number': '{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
  'infinity as id': '{"jsonrpc":"2.0","id":Infinity,"method":"ping"}',
  'a hexadecimal id': '{"jsonrpc":"2.0","id":0x10,"method":"ping"}',
  'a number with a leading zero': '{"jsonrpc":"2.0","id":007,"method":"ping"}',
  'a bad escape': '{"jsonrpc":"2.0","id":"\\x41","method":"ping"}',
  'a lone surrogate, escaped': '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
  'an escaped NUL': '{"jsonrpc":"2.0","id":"a\\u0000b","method":"ping"}',
  'duplicate ids': '{"jsonrpc":"2.0","id":"one","id":"two","method":"ping"}',
  'duplicate methods': '{"jsonrpc":"2.0","id":"twice","method":"tools/call","method":"ping"}',
  'duplicate params': callWith('params', '{"limit":1,"limit":"x"}'),
  '__proto__ as key': '{"__proto__":{"polluted":true},"jsonrpc":"2.0","id":"proto","method":"ping"}',
  '__proto__ in the arguments': callWith('arguments', '{"__proto__":{"limit":1}}'),
  'constructor in the arguments': callWith('constructor', '{"constructor":{"prototype":{"polluted":1}}}'),
  'a byte order mark': `\uFEFF${ping('mark')}`,
  'a zero-width blank': `\u200B${ping('zero-width')}`,
  'NUL before a request': `\u0000${ping('nul')}`,
  'NUL within a text': '{"jsonrpc":"2.0","id":"a\u0000b","method":"ping"}',
  'a bell and a colour': '\u0007\u001B[31mred\u001B[0m',
  'a line separator': `\u2028${ping('separator')}`,
  'a request of HTTP': 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}',
  'the framing of LSP': `Content-Length: 40\r\n\r\n${ping('lsp')}`,
  'an event of SSE': `event: message\ndata: ${ping('sse')}\n`,
  XML: '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  'a pickle': "cos\nsystem\n(S'id'\ntR.",
  'a shell': '; rm -rf / #',
  'a thousand blank lines': '\n'.repeat(1_000),
  'a thousand words': 'word\n'.repeat(1_000),
  'lists 100,000 deep': deep('[', ']', 100_000),
  'objects 100,000 deep': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  'lists 100,000 deep, never closed': '['.repeat(100_000),
  'arguments 20,000 deep': callWith('deep', `{"limit":${deep('[', ']', 20_000)}}`),
  'an unknown argument 20,000 deep': callWith('deep unknown', `{"x":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`),
  'a _meta 20,000 deep': `{"jsonrpc":"2.0","id":"meta","method":"ping","params":{"_meta":{"x":${deep('[', ']', 20_000)}}}}`,
  'an object of 100,000 keys': JSON.stringify(
    Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i])),
  ),
  'arguments of 20,000 keys': callWith(
    'keys',
    JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]))),
  ),
  'a number of 100,000 digits': `{"jsonrpc":"2.0","id":${'9'.repeat(100_000)},"method":"ping"}`,
  'an id of 100,000 characters': ping('i'.repeat(100_000)),
  'a word of 1 MiB': 'a'.repeat(mebibyte),
  'a text argument of 1 MiB': callWith('1 MiB', JSON.stringify({ cursor: 'x'.repeat(mebibyte) })),
  'a word of 9 MiB': 'a'.repeat(9 * mebibyte),
  'a request of 9 MiB': ping('9 MiB', { params: { padding: 'x'.repeat(9 * mebibyte - 100) } }),
  'blanks of 9 MiB': ' '.repeat(9 * mebibyte),
};

const bytes: Readonly<Record<string, readonly number[] | Buffer>> = {
  'a lone NUL': [0],
  'a byte of no UTF-8': [0xff],
  'a lone continuation byte': [0x80],
  'an overlong slash': [0xc0, 0xaf],
  'an overlong NUL': [0xe0, 0x80, 0x80],
  'half a euro sign': [0xe2, 0x82],
  'a surrogate in UTF-8': [0xed, 0xa0, 0x80],
  'beyond Unicode': [0xf7, 0xbf, 0xbf, 0xbf],
  'a byte order mark of UTF-16': [0xff, 0xfe],
  'a request in UTF-16': Buffer.from(ping('utf-16'), 'utf16le'),
  'bad UTF-8 within a text': Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('","method":"ping"}'),
  ]),
  'all bytes': Uint8Array.from({ length: 256 }, (_, index) => index) as unknown as readonly number[],
  gzip: [0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff],
  'a ClientHello': [0x16, 0x03, 0x01, 0x02, 0, 0x01, 0, 0x01, 0xfc, 0x03, 0x03],
};

/** Input that no client should send: one line, or several. */
export interface Malformed {
  readonly name: string;
  readonly bytes: Buffer;
  /** The id of the contained request that must be answered with an error. */
  readonly refused?: string;
}

/** All cases that are written by hand or by rule, not random. */
export const malformedInputs = (): Malformed[] => [
  ...Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text, 'utf8') })),
  ...Object.entries(bytes).map(([name, given]) => ({ name, bytes: Buffer.from(given) })),
  ...[...envelopes, ...calls, ...others, ...greetings, ...notices, ...answers, ...batches],
];
