import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import * as z from 'zod';
import { noDefaultValidator, oneChunk, storedListing } from './bundle-plugins.ts';

/** Some packages are CommonJS and call `require`, which ESM does not have. */
const banner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

const options = {
  entryPoints: ['src/main.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: true,
  legalComments: 'linked',
  logLevel: 'warning',
  // Its main file is UMD, whose inner `require` no bundler can follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  banner: { js: banner },
  metafile: true,
} as const satisfies BuildOptions;

const plugins = [storedListing, noDefaultValidator];

/** Our files that are loaded when they are first needed. */
async function findLazyFiles(outdir: string): Promise<string[]> {
  const { metafile } = await build({ ...options, outdir, plugins, write: false });
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  return entries.filter((file) => /^src\/(?!main\.ts$)|^tools\/(?!listing\.ts$)/.test(file));
}

/** Bundles the program into `outdir`, which is emptied first. */
export async function bundle(outdir: string): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  const start = oneChunk('src/cli/program.ts', await findLazyFiles(outdir));
  const { metafile } = await build({ ...options, outdir, plugins: [...plugins, start] });
  return metafile;
}

const inPackage = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Folders of the packages of which anything is in the bundle, from the root of the project, in order. */
export function packagesIn({ outputs }: Metafile): string[] {
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = inputs.flatMap((path) => inPackage.exec(path)?.[0].slice(0, -1) ?? []);
  return [...new Set(folders)].sort();
}

const sourceMap = z.looseObject({ sources: z.array(z.string()) });

/** `name@version` of a package that was bundled into another one with pnpm; `+` is the `/` of a scope there. */
const vendored = /\/\.pnpm\/((?:@[^/+]+\+)?[^/@]+)@([^/_(]+)[^/]*\/node_modules\//;

/** A package that another package in the bundle holds within a file of its own. */
export interface Vendored {
  readonly name: string;
  readonly version: string;
}

/** Packages within packages: only the source maps of a finished bundle tell of them. In order. */
export async function vendoredIn(outdir: string): Promise<Vendored[]> {
  const maps = (await readdir(outdir, { recursive: true })).filter((name) => name.endsWith('.map'));
  const found = new Map<string, Vendored>();
  for (const name of maps.sort()) {
    const { sources } = sourceMap.parse(JSON.parse(await readFile(join(outdir, name), 'utf8')));
    for (const source of sources) {
      const [, mangled = '', version = ''] = vendored.exec(source) ?? [];
      const own = mangled.replace('+', '/');
      if (own !== '') found.set(`${own}@${version}`, { name: own, version });
    }
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
}
