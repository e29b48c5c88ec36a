import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// The size of the program and of its tests may only go down. Whoever adds something removes as much, or names the reason in the
// commit that raises a number here.

const ceilings = {
  'src, tools, apps and scripts': { folders: ['src', 'tools', 'apps', 'scripts'], lines: 60_065, files: 573 },
  test: { folders: ['test'], lines: 74_275, files: 963 },
};

const root = new URL('../', import.meta.url);

/** Paths from the root. Packages that a test installs are not ours. */
function filesIn(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, root), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

const linesOf = (file: string) => readFileSync(new URL(file, root), 'latin1').split('\n').length - 1;

for (const [name, { folders, ...ceiling }] of Object.entries(ceilings)) {
  test(`${name}: no more lines or files than agreed`, () => {
    const files = folders.flatMap(filesIn);
    const lines = files.reduce((sum, file) => sum + linesOf(file), 0);
    expect(lines).toBeLessThanOrEqual(ceiling.lines);
    expect(files.length).toBeLessThanOrEqual(ceiling.files);
  });
}
