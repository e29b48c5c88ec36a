import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { tools as ourTools } from '../../tools/index.ts';
import { talkHere } from '../support/command-line.ts';
import { modernCall } from '../support/http-server.ts';
import { callOf, hello, messagesIn, program, start } from '../support/program.ts';
import { call, start as startSandbox } from '../support/sandbox.ts';

async function academy(options = {}) {
  const sandbox = await startSandbox(options);
  return { sandbox, environment: { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey } };
}

test('a real client reads the academy through the built program', async () => {
  const { environment } = await academy();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env: environment }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(ourTools.length);
  const answer = await client.callTool({ name: 'get_account', arguments: {} });
  expect(answer.isError).toBeUndefined();
  expect(client.getServerVersion()?.name).toBe('academy-mcp');
  expect(client.getInstructions()).toContain('untrusted');
});

test('--sandbox needs no settings, and says that nothing is real', async () => {
  const { code, stdout, stderr } = await talkHere([...hello, callOf(2, 'get_account')], {}, ['--sandbox']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [greeting, answer] = messagesIn(stdout);
  expect(greeting?.result?.serverInfo).toMatchObject({ name: 'academy-mcp (sandbox)' });
  expect(greeting?.result?.instructions).toContain('made-up data');
  expect(answer).toMatchObject({ id: 2, result: { structuredContent: expect.any(Object) } });
});

test('piped requests are answered before the program ends', async () => {
  const { environment } = await academy({ latencyMs: 300 });
  const { code, stdout } = await talkHere([...hello, callOf(2, 'list_courses'), callOf(3, 'list_roles')], environment);
  expect(code).toBe(0);
  expect(
    messagesIn(stdout)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([1, 2, 3]);
});

test('the only request of a client of 2026-07-28 is answered before the program ends', async () => {
  const { environment } = await academy({ latencyMs: 300 });
  const { message } = modernCall('list_courses', {});
  const { code, stdout } = await talkHere([message], environment);
  expect(code).toBe(0);
  expect(messagesIn(stdout)).toMatchObject([{ id: 1, result: { structuredContent: { total: expect.any(Number) } } }]);
});

test('the end of standard input ends an idle program', async () => {
  const { environment } = await academy();
  const { ended, send, child, written } = start([], environment);
  send(...hello);
  await expect.poll(() => written.stdout).toContain('"id":1');
  child.stdin?.end();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('SIGTERM ends the program with code 0, also while calls wait for the rate limit', async () => {
  const { environment } = await academy();
  const { ended, send, child, written } = start(
    ['--rate-limit', '1', '--rate-share', '1', '--max-wait-ms', '600000'],
    environment,
  );
  send(...hello, callOf(2, 'list_courses'), callOf(3, 'list_courses'));
  await expect.poll(() => written.stdout).toContain('"id":2');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
});

test('a broken output ends the program without a crash', async () => {
  const { environment } = await academy();
  const { ended, send, child, written } = start([], environment);
  send(...hello);
  await expect.poll(() => written.stdout).toContain('"id":1');
  child.stdout?.destroy();
  send(callOf(2, 'list_courses'), callOf(3, 'list_courses'));
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('a closed standard error does not end the program', async () => {
  const { environment } = await academy();
  const { ended, send, child, written } = start(['--log-level', 'trace'], environment);
  child.stderr?.destroy();
  send(...hello, callOf(2, 'list_courses'));
  await expect.poll(() => written.stdout).toContain('"id":2');
  child.stdin?.end();
  expect(await ended).toMatchObject({ code: 0 });
});

test('after its client disconnects, the program waits for a sent write', async () => {
  const { sandbox, environment } = await academy({ latencyMs: 400 });
  const { ended, send, child } = start([], environment);
  send(...hello, callOf(2, 'enroll_student', { email: 'new.person@example.com', name: 'New Person' }));
  const details = '/api/v1/students/details?email=new.person@example.com';
  await expect.poll(async () => (await call(sandbox, 'GET', details)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
});

test('the program survives lines that are not messages, and standard output has only messages', async () => {
  const { environment } = await academy();
  const { ended, send, child, written } = start([], environment);
  child.stdin?.write(
    'not json\n{}\n[]\nnull\n{"jsonrpc":"2.0"}\n\u0000\u0001\n{"jsonrpc":"2.0","id":9,"method":"no/such"}\n',
  );
  send(...hello, callOf(2, 'no_such_tool'), callOf(3, 'list_courses'));
  await expect.poll(() => written.stdout).toContain('"id":3');
  child.stdin?.end();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  const messages = messagesIn(stdout);
  expect(messages.find(({ id }) => id === 2)?.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('no_such_tool'),
  });
  expect(messages.find(({ id }) => id === 3)?.result).toBeDefined();
});
