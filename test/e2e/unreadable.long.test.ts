import { expect, test } from 'vitest';
import { hello, messagesIn, start } from '../support/program.ts';
import { start as startSandbox } from '../support/sandbox.ts';

const ping = '{"jsonrpc":"2.0","id":"last","method":"ping"}';

/** The program's answers to these lines and a valid one, and its log. */
async function answersTo(...lines: string[]) {
  const sandbox = await startSandbox({ students: 3, orders: 5 });
  const environment = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey };
  const { child, ended, send } = start([], environment);
  send(...hello);
  child.stdin?.end([...lines, ping, ''].join('\n'));
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(0);
  const messages = messagesIn(stdout);
  // Refused lines need no work, and may be answered before the greeting.
  const good = messages.filter(({ result }) => result !== undefined);
  expect(good.map(({ id }) => id)).toEqual([1, 'last']);
  return { answers: messages.filter(({ result }) => result === undefined), stderr };
}

const refused = (id: string | number | undefined, code: number, says: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.stringContaining(says) },
});

/** A line, and the answer to it. */
const bad: [line: string, answer: object][] = [
  ['not json', refused(undefined, -32700, 'not valid JSON')],
  ['{"jsonrpc":"2.0","id":5,"meth', refused(undefined, -32700, 'not valid JSON')],
  ['{"jsonrpc":"2.0","id":5,"method":"tools/list","params":"x"}', refused(5, -32600, 'params are not an object')],
  ['{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}', refused('a', -32600, 'params are not an object')],
  ['{"jsonrpc":"2.0","id":6,"method":7}', refused(6, -32600, 'method is not text')],
  ['{"jsonrpc":"1.0","id":7,"method":"ping"}', refused(7, -32600, 'jsonrpc is not "2.0"')],
  [
    '{"jsonrpc":"2.0","id":8,"method":"ping","extra":1}',
    refused(8, -32600, 'it has fields that a message does not have'),
  ],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', refused(undefined, -32600, 'id is neither')],
  ['{}', refused(undefined, -32600, 'jsonrpc is not')],
  [`[${ping}]`, refused(undefined, -32600, 'batch')],
  ['null', refused(undefined, -32600, 'not an object')],
];

test.for(bad)('%s is answered with an error, and the next message is served', async ([line, answer]) => {
  const { answers, stderr } = await answersTo(line);
  expect(answers).toEqual([answer]);
  expect(JSON.parse(stderr)).toMatchObject({ msg: 'received an invalid message', problem: expect.any(String) });
});

test('invalid notifications and answers, which JSON-RPC never answers, are only logged', async () => {
  const lines = [
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":"x"}',
    '{"jsonrpc":"2.0","id":3,"result":"x"}',
    '{"jsonrpc":"2.0","id":3,"error":{"code":"x"}}',
  ];
  const { answers, stderr } = await answersTo(...lines);
  expect(answers).toEqual([]);
  expect(stderr.trimEnd().split('\n')).toHaveLength(3);
});

test('blank lines are ignored', async () => {
  expect(await answersTo('', ' ', '\r')).toEqual({ answers: [], stderr: '' });
});

test('an unrequested answer does not end the program, however deeply nested', async () => {
  const deep = `{"jsonrpc":"2.0","id":3,"result":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  expect((await answersTo(deep)).answers).toEqual([]);
});

test('neither log nor answer repeats the content of a line', async () => {
  const { answers, stderr } = await answersTo(
    'Ana Pereira {',
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":"Ana Pereira"}',
    '{"jsonrpc":"2.0","id":3,"result":{"name":"Ana Pereira"}}',
    '{"jsonrpc":"2.0","id":4,"Ana Pereira":1}',
  );
  expect(answers).toHaveLength(3);
  expect(stderr.trimEnd().split('\n')).toHaveLength(4);
  expect(stderr + JSON.stringify(answers)).not.toMatch(/Ana|Pereira/);
});

test('a line longer than 10 MiB is refused and ends the program', async () => {
  const { child, ended, send } = start(['--sandbox']);
  send(...hello);
  child.stdin?.write('x'.repeat(11 * 2 ** 20));
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(0);
  expect(messagesIn(stdout)).toContainEqual(refused(undefined, -32700, 'longer than 10 MiB'));
  expect(stderr).toContain('longer than 10 MiB');
});
