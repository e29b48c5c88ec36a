import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../support/command-line.ts';

/** A folder with a program of this name, which writes its arguments to a file beside it. */
async function folderWith(name: string): Promise<{ folder: string; opened: () => Promise<string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-open-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const written = join(folder, 'opened');
  await writeFile(join(folder, name), `#!/bin/sh\necho "$@" > ${written}\n`);
  await chmod(join(folder, name), 0o755);
  return { folder, opened: () => readFile(written, 'utf8').catch(() => '') };
}

/** Runs `demo --open` until it has said where the views are, and returns that sentence. */
async function saidBy(platform: NodeJS.Platform, environment: Record<string, string>): Promise<string> {
  const ending = new AbortController();
  const stdout = new PassThrough();
  let said = '';
  stdout.on('data', (chunk: Buffer) => {
    said += chunk;
    if (said.includes('Ctrl-C')) ending.abort(new DOMException('SIGINT', 'AbortError'));
  });
  await runHere(['demo', '--open'], environment, { stdout, platform, signal: ending.signal });
  return said;
}

const opened = /^Opened (http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/) in your browser/;
const printed = /^Open http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/ in a browser of this machine/;

for (const [platform, name, environment] of [
  ['linux', 'xdg-open', { DISPLAY: ':0' }],
  ['freebsd', 'xdg-open', { WAYLAND_DISPLAY: 'wayland-0' }],
  ['darwin', 'open', {}],
  ['win32', 'cmd', {}],
] as const) {
  test(`demo --open opens the address with ${name} on ${platform}`, async () => {
    const { folder, opened: openedBy } = await folderWith(name);
    const said = await saidBy(platform, { PATH: `${folder}:/bin:/usr/bin`, ...environment });
    expect(said).toMatch(opened);
    const [, url] = opened.exec(said) ?? [];
    await expect.poll(openedBy).toMatch(new RegExp(`(^|start "" )${url}\n$`));
  });
}

test('demo --open only prints the address in CI, without a display, over SSH and without a program for it', async () => {
  const { folder, opened: openedBy } = await folderWith('xdg-open');
  const { folder: other, opened: openedByOther } = await folderWith('open');
  for (const [platform, environment] of [
    ['linux', { PATH: folder, DISPLAY: ':0', CI: 'true' }],
    ['linux', { PATH: folder }],
    ['darwin', { PATH: other, SSH_CONNECTION: '192.0.2.1 22 192.0.2.2 22' }],
    ['linux', { PATH: other, DISPLAY: ':0' }],
  ] as const) {
    expect(await saidBy(platform, environment)).toMatch(printed);
  }
  expect(await openedBy()).toBe('');
  expect(await openedByOther()).toBe('');
});
