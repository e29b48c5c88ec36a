import { wrongMessages } from './messages.ts';

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

/** Lines that are not JSON, not one message, or too large. */
function structuralLines(): Malformed[] {
  return [
    ...Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text, 'utf8') })),
    ...Object.entries(bytes).map(([name, given]) => ({ name, bytes: Buffer.from(given) })),
  ];
}

/** Input that no client should send: one line, or several. */
export interface Malformed {
  readonly name: string;
  readonly bytes: Buffer;
  /** The id of the contained request that must be answered with an error. */
  readonly refused?: string;
}

/** All cases that are written by hand or by rule, not random. */
export function malformedInputs(): Malformed[] {
  return [...structuralLines(), ...wrongMessages()];
}
