import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { runHere } from '../support/command-line.ts';
import { temporaryFolder } from '../support/sandbox.ts';

/** A folder with a program of this name, which writes its arguments to a file beside it. */
async function folderWith(name: string): Promise<{ folder: string; opened: () => Promise<string> }> {
  const folder = await temporaryFolder();
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

const printed = /^Open (http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/) in a browser of this machine/;

for (const [platform, name] of [
  ['linux', 'xdg-open'],
  ['darwin', 'open'],
  ['win32', 'cmd'],
] as const) {
  test(`demo --open prints the address and opens it with ${name} on ${platform}`, async () => {
    const { folder, opened } = await folderWith(name);
    const [, url] = printed.exec(await saidBy(platform, { PATH: `${folder}:/bin:/usr/bin` })) ?? [];
    await expect.poll(opened).toMatch(new RegExp(`(^|start "" )${url}\n$`));
  });
}

test('demo --open only prints the address in CI and without a program for it', async () => {
  const { folder, opened } = await folderWith('xdg-open');
  for (const environment of [{ PATH: folder, CI: 'true' }, { PATH: '/none' }]) {
    expect(await saidBy('linux', environment)).toMatch(printed);
  }
  expect(await opened()).toBe('');
});
