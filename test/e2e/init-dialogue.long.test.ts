import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { academy, askThrough, entryIn, filesIn, init, makeHome, modeOf, settingsFiles } from '../support/init.ts';
import { ctrlC, hasTerminal, program, start, startOnTerminal } from '../support/program.ts';

test('the questions are answered from a pipe', async () => {
  const { url, apiKey } = await academy();
  const home = makeHome();
  const { code, stdout, stderr } = await init(home, ['--client', 'cursor'], { typed: `${url}\n${apiKey}\n\n` });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const said of ['Address of the academy', 'ok  The API answers:', 'What is my academy called?'])
    expect(stdout).toContain(said);
  expect(stdout).not.toContain(apiKey);
  expect(entryIn(join(home, settingsFiles.cursor)).env).toMatchObject({ ACADEMY_READ_ONLY: 'true' });
});

test('an input that ends too early writes nothing', async () => {
  const home = makeHome();
  const { code, stderr } = await init(home, ['--client', 'cursor'], { typed: 'https://127.0.0.1:9\n' });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'academy-mcp: the input ended before every question was answered. Answer on a terminal, or give the answers as flags and add --yes.\n',
  );
  expect(filesIn(home)).toEqual({});
});

test.skipIf(!hasTerminal)('on a terminal the key is not shown, and Ctrl-C stops', async () => {
  const { url, apiKey } = await academy();
  const home = makeHome();
  const { screen, type, ended } = startOnTerminal(['init', '--client', 'vscode'], { HOME: home });
  await expect.poll(screen).toContain('Address of the academy');
  type(`${url}\n`);
  await expect.poll(screen).toContain('API key');
  type(`${apiKey}\n`);
  await expect.poll(screen).toContain('read-only mode');
  expect(screen()).not.toContain(apiKey);
  type('n\n');
  expect(await ended).toBe(0);
  expect(screen()).toContain('In VS Code, run the command');
  expect(entryIn(join(home, settingsFiles.vscode)).env).not.toHaveProperty('ACADEMY_READ_ONLY');

  for (const question of ['Address of the academy', 'API key']) {
    const stopped = startOnTerminal(['init', '--client', 'cursor'], { HOME: home });
    await expect.poll(stopped.screen).toContain('Address of the academy');
    if (question === 'API key') stopped.type(`${url}\n`);
    await expect.poll(stopped.screen).toContain(question);
    stopped.type(ctrlC);
    expect(await stopped.ended).toBe(0);
    expect(stopped.screen()).toMatch(/\nStopped\.\n$/);
  }
});

test('SIGINT stops the questions of a pipe', async () => {
  const { child, ended, written } = start(['init', '--client', 'cursor'], { HOME: makeHome() });
  await expect.poll(() => written.stdout).toContain('Address of the academy');
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, stderr: 'Stopped.\n' });
});

/** Starts a program of another place than the built one. */
async function run(file: string, args: string[], home: string): Promise<number | null> {
  const child = spawn(process.execPath, [file, ...args], { env: { HOME: home }, stdio: 'ignore' });
  return new Promise((resolve) => child.on('close', resolve));
}

test('from the cache of npx the program is copied, and the entry outlives the cache', async () => {
  const home = makeHome();
  const cache = join(home, '.npm/_npx/1a2b/node_modules/academy-mcp');
  mkdirSync(cache, { recursive: true });
  cpSync(dirname(program), join(cache, 'dist'), { recursive: true });
  writeFileSync(join(cache, 'package.json'), '{ "type": "module" }');
  const cached = join(cache, 'dist/main.js');
  const args = ['init', '--client', 'cursor', '--sandbox', '--yes'];
  expect(await run(cached, args, home)).toBe(0);
  rmSync(join(home, '.npm'), { recursive: true });

  const folder = join(home, '.config/academy-mcp/cursor-academy-sandbox');
  const entry = entryIn(join(home, settingsFiles.cursor), 'academy-sandbox');
  expect(entry.args[0]).toBe(join(folder, 'program', 'main.js'));
  expect((await askThrough(entry, '')).tools).toBeGreaterThan(0);
  expect(modeOf(folder)).toBe('700');
  expect(readFileSync(join(dirname(entry.args[0] ?? ''), 'THIRD-PARTY-LICENSES.txt'), 'utf8')).not.toBe('');
  await init(home, ['--client', 'cursor', '--sandbox', '--remove']);
  expect(existsSync(folder)).toBe(false);
});
