import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { runHere, talkHere } from '../support/command-line.ts';
import { callOf, ctrlC, hasTerminal, hello, messagesIn, start, startOnTerminal } from '../support/program.ts';
import { start as startSandbox, temporaryFile } from '../support/sandbox.ts';
import { selfSignedCertificate, startSelfSigned } from '../support/self-signed.ts';

test.skipIf(!hasTerminal)('on a terminal the server says that it waits for a client', async () => {
  const { screen, type, ended } = startOnTerminal(['--sandbox']);
  await expect.poll(screen).toContain('Waiting for an MCP client on stdin. Press Ctrl-C to stop.\n');
  type(ctrlC);
  expect(await ended).toBe(0);
  expect(screen()).toMatch(/\nStopped\.\n$/);
});

/** Arguments of commands that run until they are stopped, and what they write when they are ready. */
const running: [args: string, ready: RegExp][] = [
  ['--sandbox --log-level trace', /"level"/],
  ['http --sandbox --port 0', /listening on/],
  ['sandbox --port 0', /listening on/],
  ['demo', /sales_report/],
];

test.for(running)('SIGINT ends "academy-mcp %s" with "Stopped." and code 0', async ([args, ready]) => {
  const { child, ended, written, send } = start(args.split(' '));
  if (args.startsWith('--sandbox')) send(...hello, callOf(2, 'get_account'));
  await expect.poll(() => written.stdout + written.stderr).toMatch(ready);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(/^(\{.*\n)*Stopped\.\n$/);
});

test.for(['--help', 'doctor --sandbox'])(
  'a reader that closes the pipe of "%s" early causes no error',
  async (args) => {
    const { child, ended } = start(args.split(' '));
    child.stdout?.destroy();
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
  },
);

test('SIGINT ends doctor with "Stopped." and code 0', async () => {
  const sandbox = await startSandbox({ students: 3, orders: 3, latencyMs: 5_000 });
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey };
  const { child, ended, written } = start(['doctor', '--verbose'], settings);
  await expect.poll(() => written.stdout).toContain('The settings are complete');
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, stderr: 'Stopped.\n' });
});

test('doctor --sandbox checks the embedded academy, whatever the other settings are', async () => {
  const { code, stdout, stderr } = await runHere(['doctor', '--sandbox'], { ACADEMY_API_KEY_FILE: '/no/such/file' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ok {2}The API answers: .*\nok {2}\d requests sent, nothing changed\n$/);
});

test('the address and the key of an example are recognized', async () => {
  const real = { ACADEMY_BASE_URL: 'https://school.test', ACADEMY_API_KEY: 'k' };
  for (const address of ['https://academy.example.com', 'https://example.org', 'https://your.school.example']) {
    for (const args of [[], ['doctor'], ['http', '--port', '0']]) {
      expect(await runHere(args, { ...real, ACADEMY_BASE_URL: address })).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'academy-mcp: ACADEMY_BASE_URL is still the address of an example. Set it to the address at which you open your academy in a browser.\n',
      });
    }
  }
  for (const key of [
    'your-api-key',
    'YOUR_API_KEY',
    '<api-key>',
    '<your key>',
    '/path/to/key',
    '$' + '{input:academy-key}',
    'xxxx',
  ]) {
    expect(await runHere([], { ...real, ACADEMY_API_KEY: key })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'academy-mcp: ACADEMY_API_KEY is still the placeholder of an example. Sign in to your academy as an admin and copy the api_key from Account Settings.\n',
    });
  }
});

/** A setting, its value from an example, and what to do instead. */
const placeholders: [name: string, value: string, hint: string][] = [
  ['ACADEMY_API_KEY_FILE', '/path/to/api-key', 'Set it to the full path of your own file.'],
  ['ACADEMY_HTTP_TOKENS_FILE', '<file of tokens>', 'Set it to the full path of your own file.'],
  ['ACADEMY_AUDIT_LOG', '/path/to/audit.jsonl', 'Set it to a value of your own, or leave it out.'],
  ['ACADEMY_TIMEZONE', '<your zone>', 'Set it to a value of your own, or leave it out.'],
  ['ACADEMY_BASE_URL', '<your address>', 'Set it to the address at which you open your academy in a browser.'],
];

test.for(placeholders)('%s=%s is recognized as a placeholder', async ([name, value, hint]) => {
  const key = name === 'ACADEMY_API_KEY_FILE' ? {} : { ACADEMY_API_KEY: 'k' };
  expect(await runHere([], { ACADEMY_BASE_URL: 'https://school.test', ...key, [name]: value })).toEqual({
    code: 1,
    stdout: '',
    stderr: `academy-mcp: ${name} is still the placeholder of an example. ${hint}\n`,
  });
});

test('a self-signed certificate is named by doctor and tools, and NODE_EXTRA_CA_CERTS makes it trusted', async () => {
  const sandbox = await startSandbox({ students: 3, orders: 3 });
  const settings = { ACADEMY_BASE_URL: await startSelfSigned(sandbox.url), ACADEMY_API_KEY: sandbox.apiKey };
  const named = /self-signed\); nothing was sent\.\s+Hint: If you trust it, set NODE_EXTRA_CA_CERTS to the full path/;
  expect((await runHere(['doctor'], settings)).stdout).toMatch(named);

  const { stdout } = await talkHere([...hello, callOf(2, 'get_account')], settings);
  const answer = messagesIn(stdout).find(({ id }) => id === 2);
  expect(answer?.result).toMatchObject({ isError: true });
  expect(JSON.stringify(answer?.result)).toMatch(/self-signed\); nothing was sent.*NODE_EXTRA_CA_CERTS/);

  const authority = await temporaryFile('ca.pem');
  await writeFile(authority, selfSignedCertificate);
  const trusting = { ...settings, NODE_EXTRA_CA_CERTS: authority };
  expect(await start(['doctor'], trusting).ended).toMatchObject({ code: 0 });
});

test('npm run dev prints only the protocol on standard output', async () => {
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const child = spawn('npm', ['run', 'dev', '--', '--sandbox'], { cwd, shell: process.platform === 'win32' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  for (const message of hello) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  child.stdin.end();
  expect(await ended).toBe(0);
  expect(messagesIn(stdout)).toMatchObject([{ id: 1, result: { serverInfo: { name: 'academy-mcp (sandbox)' } } }]);
});

test('the HTTP server listens where ACADEMY_HTTP_PORT or PORT says, and flags win', async () => {
  const { child, written, ended } = start(['http', '--sandbox'], { ACADEMY_HTTP_PORT: '0', PORT: 'not-read' });
  await expect.poll(() => written.stdout).toContain('listening on http://127.0.0.1:');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(await runHere(['http', '--sandbox'], { PORT: 'main' })).toMatchObject({
    code: 1,
    stderr: 'academy-mcp: PORT must be a whole number from 0 to 65535.\n',
  });
  const other = start(['http', '--sandbox', '--port', '0', '--host', 'localhost'], { PORT: 'main' });
  await expect.poll(() => other.written.stdout).toContain('listening on http://');
});
