import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runHere } from '../support/command-line.ts';
import { listen } from '../support/listen.ts';
import { start } from '../support/program.ts';
import { start as startSandbox } from '../support/sandbox.ts';

test('without settings, one line names the missing setting, and standard output stays empty', async () => {
  const { code, stdout, stderr } = await start([]).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'academy-mcp: ACADEMY_BASE_URL is not set. Set it, or start academy-mcp --sandbox to try the embedded academy.\n',
  );
});

const commands = 'The commands are init, http, sandbox, demo, mirror, journal, doctor, openapi, help.';

/** Arguments, and the expected line. */
const wrongUsage: [typed: string, says: string][] = [
  ['--no-such-flag', "unknown option '--no-such-flag'. See academy-mcp --help."],
  ['--lockdwn', "unknown option '--lockdwn'. Did you mean --lockdown? See academy-mcp --help."],
  ['--rate-limit', "option '--rate-limit <limit>' argument missing. See academy-mcp --help."],
  [
    'sandbox --port x',
    "option '--port <number>' argument 'x' is invalid. Must be a whole number from 0 to 65535. See academy-mcp sandbox --help.",
  ],
  ['http --port x', '--port must be a whole number from 0 to 65535.'],
  ['--port 3000', "unknown option '--port'. See academy-mcp --help."],
  ['--read-only=yes', "unknown option '--read-only=yes'. See academy-mcp --help."],
  [
    '--sandbox --timezone Europe/Lisabon',
    '--timezone must be an IANA time zone such as UTC or Europe/Lisbon. Did you mean Europe/Lisbon?',
  ],
  [
    'doctor --sandbox --confirm humans',
    '--confirm must be one of auto, argument, preview, human, block. Did you mean human?',
  ],
  [
    'sandbox --accounts /no/such/file',
    "--accounts: cannot read /no/such/file: ENOENT: no such file or directory, open '/no/such/file'.",
  ],
  [
    'init --client cursr',
    "option '--client <client>' argument 'cursr' is invalid. Allowed choices are claude-desktop, claude-code, cursor, vscode. See academy-mcp init --help.",
  ],
  ['doctor extra', 'too many arguments. Expected 0 arguments but got 1. See academy-mcp doctor --help.'],
  ['docter', `unknown command 'docter'. Did you mean doctor? ${commands} See academy-mcp --help.`],
  ['sandbx --port 4010', `unknown command 'sandbx'. Did you mean sandbox? ${commands} See academy-mcp --help.`],
  ['help docter', `unknown command 'docter'. Did you mean doctor? ${commands} See academy-mcp --help.`],
  ['--sandbox doctor', 'write doctor first, then its flags. See academy-mcp doctor --help.'],
  ['--read-only demo --open', 'write demo first, then its flags. See academy-mcp demo --help.'],
];

test.for(wrongUsage)('academy-mcp %s gives one line and exit code 2', async ([typed, says]) => {
  const ended = await runHere(typed.split(' '));
  expect(ended).toEqual({ code: 2, stdout: '', stderr: `academy-mcp: ${says}\n` });
});

test('the built program exits with the code and the line for wrong usage', async () => {
  const [[typed, says] = ['', '']] = wrongUsage;
  expect(await start([typed]).ended).toEqual({ code: 2, stdout: '', stderr: `academy-mcp: ${says}\n` });
});

test('--version and --help print to standard output', async () => {
  expect(await start(['--version']).ended).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  const { code, stdout } = await start(['--help']).ended;
  expect(code).toBe(0);
  for (const word of [
    '--sandbox',
    '--read-only',
    '--toolsets',
    'ACADEMY_RATE_LIMIT',
    'ACADEMY_API_KEY',
    'ACADEMY_CONFIRM_SECRET',
    'doctor',
  ])
    expect(stdout).toContain(word);
});

test('each command has a complete help, which the command help shows, too', async () => {
  for (const [command, flag] of [
    ['sandbox', '--protect-course <id>'],
    ['demo', '--help'],
    ['mirror', 'purge'],
    ['doctor', '--rate-share <share>'],
    ['openapi', 'ACADEMY_BASE_URL'],
  ] as const) {
    const byFlag = await runHere([command, '--help']);
    expect(byFlag).toMatchObject({ code: 0, stderr: '' });
    expect(byFlag.stdout).toContain(`Usage: academy-mcp ${command} [options]`);
    expect(byFlag.stdout).toContain(flag);
    expect(await runHere(['help', command])).toEqual(byFlag);
  }
  expect(await runHere(['help'])).toEqual(await runHere(['--help']));
});

test('the value of a flag may be the name of a command', async () => {
  const says = expect.stringMatching(/^academy-mcp: ACADEMY_BASE_URL is not set\./);
  for (const args of [
    ['doctor', '--audit-log', 'sandbox'],
    ['--audit-log', 'demo'],
  ]) {
    expect(await runHere(args)).toEqual({ code: 1, stdout: '', stderr: says });
  }
});

test('doctor reports working parts', async () => {
  const sandbox = await startSandbox({ students: 3, orders: 10 });
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey };
  const { code, stdout, stderr } = await start(['doctor', '--verbose', '--read-only'], settings).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('The API answers');
  expect(stdout).toContain('ACADEMY_READ_ONLY: true\n');
  expect(stdout).not.toContain(sandbox.apiKey);
});

test('doctor reports failures and what to do', async () => {
  const sandbox = await startSandbox({ students: 3, orders: 10 });
  const cases: [Record<string, string>, RegExp][] = [
    [{ ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: 'wrong' }, /unauthorized.*401[\s\S]*check ACADEMY_API_KEY/],
    [{ ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.studentKey }, /forbidden.*403[\s\S]*is not an admin's/],
    [
      { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'k' },
      /cannot be reached \(ECONNREFUSED\)[\s\S]*ACADEMY_BASE_URL/,
    ],
    [{ ACADEMY_BASE_URL: await notTheApi(), ACADEMY_API_KEY: 'k' }, /unexpected_response[\s\S]*ACADEMY_BASE_URL/],
    [
      { ACADEMY_BASE_URL: `${sandbox.url}/foo`, ACADEMY_API_KEY: sandbox.apiKey },
      /not_found.*404[\s\S]*\n +Hint: The API is not at this address: check ACADEMY_BASE_URL\.\n$/,
    ],
  ];
  for (const [settings, says] of cases) {
    const { code, stdout, stderr } = await runHere(['doctor', '--timeout-ms', '2000'], settings);
    expect(code).toBe(1);
    expect(stdout).toMatch(says);
    expect(stderr).toMatch(/^academy-mcp: [^\n]+\n$/);
  }
});

/** A website that answers every path with a page. */
async function notTheApi(): Promise<string> {
  return (await listen((_request, response) => response.end('<html>Welcome</html>'))).url;
}
