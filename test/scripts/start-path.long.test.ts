import type { Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { bundle } from '../../scripts/build.ts';
import { emptyFolder } from '../support/package-client.ts';

/** What the server loads until it has answered tools/list. */
const entries = ['src/main.ts', 'tools/listing.ts', 'src/protocol/legacy/server.ts'];

type Outputs = Metafile['outputs'];

/** These files of the bundle, and those that they import at once. */
function loadedBy(outputs: Outputs, files: readonly string[], known = new Set<string>()): Set<string> {
  for (const file of files.filter((one) => one in outputs && !known.has(one))) {
    known.add(file);
    const imports = outputs[file]?.imports.filter(({ kind }) => kind === 'import-statement') ?? [];
    const paths = imports.map(({ path }) => path);
    loadedBy(outputs, paths, known);
  }
  return known;
}

async function startPath() {
  const outputs = await bundle(await emptyFolder());
  const files = Object.keys(outputs).filter((file) => entries.includes(outputs[file]?.entryPoint ?? ''));
  expect(files).toHaveLength(entries.length);
  const loaded = [...loadedBy(outputs, files)];
  const sources = loaded.flatMap((file) => Object.entries(outputs[file]?.inputs ?? {}));
  const used = sources.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([source]) => source);
  return { loaded, used, bytes: loaded.reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0) };
}

test('a start loads no definition of a tool, no part of the API client, and no package for later', async () => {
  const { loaded, used, bytes } = await startPath();
  const heavy =
    /^src\/(api\/(?!writes\/audit)|contract|insights\/(?!calendar)|workflows|sandbox|server\/http|protocol\/modern)\//;
  expect(used.filter((source) => heavy.test(source))).toEqual([]);
  expect(used.filter((source) => source.startsWith('tools/')).sort()).toEqual([
    'tools/instructions.ts',
    'tools/listing.ts',
  ]);
  const packages = used.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  for (const later of [
    'undici',
    'bottleneck',
    'commander',
    'ajv',
    'temporal-polyfill',
    '@modelcontextprotocol/server',
  ]) {
    expect(packages).not.toContain(later);
  }
  // Each file takes half a millisecond, and so do 50 kB.
  expect(loaded.length).toBeLessThanOrEqual(12);
  expect(bytes).toBeLessThan(750_000);
});
