import { copyFile, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import * as z from 'zod';
import { listing } from '../tools/listing.ts';

/** Stores what the definitions list, so that a start neither loads nor converts them. JSON is parsed faster than code. */
const storedListing: Plugin = {
  name: 'stored-listing',
  setup: ({ onLoad }) => {
    const text = JSON.stringify(JSON.stringify(listing));
    const contents = `export const listing = JSON.parse(${text});`;
    onLoad({ filter: /[\\/]tools[\\/]listing\.ts$/ }, () => ({ contents }));
  },
};

/**
 * Leaves out the default validator of the SDK's server, which takes 15 ms to load: `src/protocol/legacy/server.ts` passes
 * one that loads it later. The SDK's client keeps its own.
 */
const noDefaultValidator: Plugin = {
  name: 'no-default-validator',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'no-default-validator';
    const server = /[\\/]sdk[\\/]dist[\\/]esm[\\/]server[\\/]index\.js$/;
    onResolve({ filter: /\/validation\/ajv-provider\.js$/ }, ({ importer }) =>
      server.test(importer) ? { path: namespace, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, () => ({ contents: 'export class AjvJsonSchemaValidator {}' }));
  },
};

/**
 * Makes each of these files import `start`, which is loaded before them anyway. Otherwise esbuild splits `start` into
 * dozens of chunks, one for each combination of files that need the same part of it; and each takes half a millisecond.
 */
function oneChunk(start: string, files: readonly string[]): Plugin {
  const paths = new Set(files.map((file) => resolve(file)));
  return {
    name: 'one-chunk',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!paths.has(path)) return undefined;
        const code = await readFile(path, 'utf8');
        return { contents: `${code}\nimport ${JSON.stringify(resolve(start))};\n`, loader: 'ts' };
      });
    },
  };
}

/** Some packages are CommonJS and call `require`, which ESM does not have. */
const banner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  sourcemap: true,
  legalComments: 'linked',
  logLevel: 'warning',
  banner: { js: banner },
  metafile: true,
} as const satisfies BuildOptions;

const options = {
  ...common,
  entryPoints: ['src/main.ts'],
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Its main file is UMD, whose inner `require` no bundler can follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
} as const satisfies BuildOptions;

const plugins = [storedListing, noDefaultValidator];

/** Our files that are loaded when they are first needed. */
async function findLazyFiles(outdir: string): Promise<string[]> {
  const { metafile } = await build({ ...options, outdir, plugins, write: false });
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  return entries.filter((file) => /^src\/(?!main\.ts$)|^tools\/(?!listing\.ts$)/.test(file));
}

/** The thread of the mirror, beside the chunk that starts it. It shares no chunk, so that it changes nothing at start-up. */
async function bundleMirror(outdir: string) {
  const chunks = join(outdir, 'chunks');
  const outfile = join(chunks, 'mirror-worker.js');
  const built = await build({ ...common, entryPoints: ['src/mirror/engine/worker.ts'], outfile, minify: true });
  // SQLite looks for it beside its own code.
  await copyFile('node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm', join(chunks, 'sqlite3.wasm'));
  return built;
}

/** Bundles everything into `outdir`, which is emptied first. */
export async function bundle(outdir: string): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  const start = oneChunk('src/cli/program.ts', await findLazyFiles(outdir));
  const { metafile: program } = await build({ ...options, outdir, plugins: [...plugins, start] });
  const { metafile: mirror } = await bundleMirror(outdir);
  return {
    inputs: { ...program.inputs, ...mirror.inputs },
    outputs: { ...program.outputs, ...mirror.outputs },
  };
}

const inPackage = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Folders of the packages that have files in the bundle, from the root of the project, in order. */
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
