import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { AtEnd } from '../benchmark.ts';

/** Bundles a program into one file, as `npm run build` does with ours. Returns its path. */
export async function bundleFloor(entryPoint: string, atEnd: AtEnd): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'academy-bench-'));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  const outfile = join(directory, 'floor.mjs');
  const banner =
    "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";
  await build({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.18',
    banner: { js: banner },
  });
  return outfile;
}
