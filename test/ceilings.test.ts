import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// The size of the program and of its tests may only go down. Whoever adds something removes as much, or names the reason in the
// commit that raises a number here.

const ceilings = {
  'src, tools, apps and scripts': { folders: ['src', 'tools', 'apps', 'scripts'], lines: 44_500, files: 382 },
  test: { folders: ['test'], lines: 62_687, files: 519 },
};

const root = new URL('../', import.meta.url);

/** Paths from the root of the files that belong to the project: other tests make files beside them meanwhile. */
const filesIn = (folder: string) =>
  execFileSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);

const linesOf = (file: string) => readFileSync(new URL(file, root), 'latin1').split('\n').length - 1;

for (const [name, { folders, ...ceiling }] of Object.entries(ceilings)) {
  test(`${name}: no more lines or files than agreed`, () => {
    const files = folders.flatMap(filesIn);
    const lines = files.reduce((sum, file) => sum + linesOf(file), 0);
    expect(lines).toBeLessThanOrEqual(ceiling.lines);
    expect(files.length).toBeLessThanOrEqual(ceiling.files);
  });
}
