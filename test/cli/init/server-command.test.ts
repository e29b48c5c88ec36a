import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFilesOf, serverCommand, stableNode } from '../../../src/cli/init/clients.ts';
import { version } from '../../../src/version.ts';

const folder = join('/home/ana/.config/academy-mcp');
const copy = join(folder, `program-${version}`);

test('an installed program is named where it is', () => {
  for (const program of ['/work/academy-mcp/dist/main.js', '/usr/lib/node_modules/academy-mcp/dist/main.js']) {
    expect(serverCommand('/usr/bin/node', program, folder)).toEqual({
      command: '/usr/bin/node',
      program,
      copy: undefined,
    });
  }
});

test('a program in the cache of npx, pnpm, yarn or bun is copied, since that cache is temporary', () => {
  for (const cache of [
    '/home/ana/.npm/_npx/8f3a',
    '/home/ana/.cache/pnpm/dlx/9c/1',
    '/tmp/xfs-1/dlx-77',
    '/tmp/bunx-0-a',
  ]) {
    const dist = `${cache}/node_modules/academy-mcp/dist`;
    expect(serverCommand('/usr/bin/node', `${dist}/main.js`, folder)).toEqual({
      command: '/usr/bin/node',
      program: join(copy, 'main.js'),
      copy: { from: dist, to: copy },
    });
  }
});

test('the source is refused: a client cannot start it', () => {
  expect(() => serverCommand('/usr/bin/node', '/work/src/main.ts', folder)).toThrow('the path of the built program');
});

test('the Node of Homebrew is named by the path that survives an upgrade', () => {
  const cellar = '/opt/homebrew/Cellar/node@22/22.11.0/bin/node';
  expect(stableNode(cellar, () => true)).toBe(join('/opt/homebrew/opt/node@22/bin/node'));
  expect(stableNode(cellar, () => false)).toBe(cellar);
  expect(stableNode('/home/ana/.nvm/versions/node/v22.11.0/bin/node', () => true)).toContain('.nvm');
});

test('only a copy that init made is recognized as one', () => {
  expect(ownFilesOf({ args: [join(copy, 'main.js')] }, folder)).toEqual([copy]);
  for (const path of [join(folder, 'main.js'), '/work/program-1/main.js', join(folder, 'other', 'main.js')]) {
    expect(ownFilesOf({ args: [path] }, folder)).toEqual([]);
  }
});
