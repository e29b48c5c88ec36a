import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { start } from '../support/program.ts';
import { start as startSandbox, temporaryFolder } from '../support/sandbox.ts';
import { has, knownVariables, read, root, variablesIn } from './deploy-files.ts';

const file = 'deploy/academy-mcp.service';
const environmentFile = 'deploy/academy-mcp.env';

/** The assignments of a unit or of an environment file, in order. */
function assignmentsIn(text: string): [name: string, value: string][] {
  return [...text.matchAll(/^([A-Za-z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
}

const unit = assignmentsIn(read(file));
const valuesOf = (wanted: string) => unit.filter(([name]) => name === wanted).map(([, value]) => value);

test('the unit and its settings know no variable that the program does not know, and no secret', () => {
  for (const each of [file, environmentFile]) {
    expect(
      variablesIn(read(each)).filter((name) => !knownVariables.has(name)),
      each,
    ).toEqual([]);
  }
  expect(assignmentsIn(read(environmentFile)).filter(([name]) => /KEY|TOKEN|SECRET/.test(name))).toEqual([]);
  expect(valuesOf('TimeoutStopSec')).toEqual(['40']);
});

/** The unit with the paths of this machine instead of those of an installation. */
function localUnit(folder: string): string {
  return read(file)
    .replaceAll('/usr/bin/node', process.execPath)
    .replaceAll('/opt/academy-mcp/', root)
    .replaceAll('/etc/academy-mcp', folder);
}

test.skipIf(!has('systemd-analyze'))('systemd accepts the unit, and finds it well protected', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'academy-mcp.service');
  writeFileSync(path, localUnit(folder));
  // Prints a line for each unknown or invalid directive.
  execFileSync('systemd-analyze', ['verify', '--man=no', path], { stdio: 'pipe' });
  const analysis = ['security', '--offline=true', '--no-pager', '--threshold=20', path];
  execFileSync('systemd-analyze', analysis, { stdio: 'pipe' });
});

test('the command of the unit starts with its settings and its secrets', async () => {
  const sandbox = await startSandbox({ students: 5, orders: 5 });
  const folder = temporaryFolder();
  const credentials = join(folder, 'credentials');
  mkdirSync(credentials);
  const secrets: Record<string, string> = { 'api-key': sandbox.apiKey, 'http-tokens': 'first-token-0123456789abcdef' };
  const loaded = valuesOf('LoadCredential').map((value) => value.split(':', 1)[0] ?? '');
  expect(loaded).toEqual(Object.keys(secrets));
  for (const name of loaded) writeFileSync(join(credentials, name), `${secrets[name]}\n`, { mode: 0o400 });
  const fromUnit = valuesOf('Environment').flatMap((value) => assignmentsIn(value.replace('%d', credentials)));
  const environment = Object.fromEntries([...assignmentsIn(read(environmentFile)), ...fromUnit]);
  const [program = '', ...args] = (valuesOf('ExecStart')[0] ?? '').split(' ');
  expect(program).toBe('/usr/bin/node');
  const [script = '', ...rest] = args.map((each) => each.replace('/opt/academy-mcp/', root).replace(/^3000$/, '0'));
  const { written } = start(rest, { ...environment, ACADEMY_BASE_URL: sandbox.url }, { file: script });
  await expect.poll(() => written.stdout + written.stderr).toMatch(/listening on http:\/\/127\.0\.0\.1:\d+/);
});

test('the second unit of a rolling restart has a port of its own, and the user of the first', () => {
  const [, expression = ''] = /^sed '(.+)' deploy\/academy-mcp\.service/m.exec(read('docs/deploy.md')) ?? [];
  const second = execFileSync('sed', [expression, join(root, file)], { encoding: 'utf8' });
  const changed = assignmentsIn(second).filter(
    ([name, value]) => !unit.some((one) => one.join() === `${name},${value}`),
  );
  expect(changed).toEqual([
    ['ExecStart', `${valuesOf('ExecStart')[0]} --port 3001`],
    ['User', 'academy-mcp'],
  ]);
});
