import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { startSandbox } from '../../src/sandbox/index.ts';
import { start } from '../support/program.ts';

test('without settings it says in one line what to set, and writes nothing to standard output', async () => {
  const { code, stdout, stderr } = await start([]).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'academy-mcp: ACADEMY_BASE_URL is not set. Set it, or pass --sandbox to try the embedded academy.\n',
  );
});

test('a wrong setting is one line and exit code 1', async () => {
  for (const [name, value] of [
    ['ACADEMY_RATE_LIMT', '60'],
    ['ACADEMY_RATE_LIMIT', 'many'],
    ['ACADEMY_BASE_URL', 'http://example.com'],
  ]) {
    const settings = { ACADEMY_BASE_URL: 'https://a.example.com', ACADEMY_API_KEY: 'k', [name ?? '']: value ?? '' };
    const { code, stdout, stderr } = await start([], settings).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^academy-mcp: ${name} [^\\n]+\\n$`));
  }
});

test('wrong usage is exit code 2', async () => {
  for (const args of [['--no-such-flag'], ['nonsense'], ['sandbox', '--port', 'x'], ['--rate-limit']]) {
    const { code, stdout, stderr } = await start(args).ended;
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('error:');
  }
});

test('--version and --help answer on standard output', async () => {
  expect(await start(['--version']).ended).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  const { code, stdout } = await start(['--help']).ended;
  expect(code).toBe(0);
  for (const word of ['--sandbox', '--read-only', '--toolsets', 'ACADEMY_RATE_LIMIT', 'doctor', 'demo'])
    expect(stdout).toContain(word);
});

test('doctor says what works', async () => {
  const sandbox = await startSandbox({ students: 3, orders: 10 });
  onTestFinished(() => sandbox.close());
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey };
  const { code, stdout, stderr } = await start(['doctor', '--read-only'], settings).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('The API answers');
  expect(stdout).toContain('read-only');
  expect(stdout).not.toContain(sandbox.apiKey);
});

test('doctor says what does not work, and what to do', async () => {
  const sandbox = await startSandbox({ students: 3, orders: 10 });
  onTestFinished(() => sandbox.close());
  const cases: [Record<string, string>, RegExp][] = [
    [{ ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: 'wrong' }, /unauthorized.*401[\s\S]*check ACADEMY_API_KEY/],
    [{ ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.studentKey }, /forbidden.*403[\s\S]*not of an admin/],
    [
      { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'k' },
      /cannot be reached \(ECONNREFUSED\)[\s\S]*ACADEMY_BASE_URL/,
    ],
    [{ ACADEMY_BASE_URL: await notTheApi(), ACADEMY_API_KEY: 'k' }, /unexpected_response[\s\S]*ACADEMY_BASE_URL/],
  ];
  for (const [settings, says] of cases) {
    const { code, stdout, stderr } = await start(['doctor', '--timeout-ms', '2000'], settings).ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(says);
    expect(stderr).toMatch(/^academy-mcp: [^\n]+\n$/);
  }
});

/** A web site that answers every path with a page. */
async function notTheApi(): Promise<string> {
  const server = createServer((_request, response) => response.end('<html>Welcome</html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
