import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/** Leaves out the default validator of the SDK's server, which takes 15 ms to load: `src/protocol/legacy/server.ts` needs none. */
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

/** Makes each file import `start`, loaded before it anyway: else esbuild splits `start` into dozens of chunks, 0.5 ms each. */
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

/** Bundles everything into `outdir`, which is emptied first. Returns what is in each file. */
export async function bundle(outdir: string): Promise<Metafile['outputs']> {
  await rm(outdir, { recursive: true, force: true });
  const start = oneChunk('src/cli/program.ts', await findLazyFiles(outdir));
  const { metafile: program } = await build({ ...options, outdir, plugins: [...plugins, start] });
  // The thread of the mirror, beside the chunk that starts it. It shares no chunk, so that it changes nothing at start-up.
  const chunks = join(outdir, 'chunks');
  const worker = { entryPoints: ['src/mirror/engine/worker.ts'], outfile: join(chunks, 'mirror-worker.js') };
  const { metafile: mirror } = await build({ ...common, ...worker, minify: true });
  // SQLite looks for it beside its own code.
  await copyFile('node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm', join(chunks, 'sqlite3.wasm'));
  return { ...program.outputs, ...mirror.outputs };
}

const inPackage = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Folders of the packages that have files in the bundle, from the root of the project, in order. */
export function packagesIn(outputs: Metafile['outputs']): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 && inPackage.exec(path)?.[0]) || []);
  return [...new Set(folders)].sort();
}

/** Packages that the SDKs hold within files of their own: only source maps tell of them, and a test compares this list with those. */
const vendored = [
  { name: 'ajv', version: '8.18.0' },
  { name: 'ajv-formats', version: '3.0.1' },
  { name: 'content-type', version: '1.0.5' },
  { name: 'fast-deep-equal', version: '3.1.3' },
  { name: 'fast-uri', version: '3.1.8' },
  { name: 'json-schema-traverse', version: '1.0.0' },
];

/** The views of MCP Apps and their titles: `apps/<name>/main.ts` becomes one page without other files. */
const titles = { buyers: 'Buyers', sales: 'Sales', outline: 'Outline of a course' };

type PageName = keyof typeof titles;

export const pageNames = Object.keys(titles) as PageName[];

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** No request leaves the page, no other script runs in it, and no text becomes markup. */
function policyOf(script: string, style: string, more: readonly string[]): string {
  return [
    "default-src 'none'",
    ...more,
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

async function minified(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome120', 'safari17', 'firefox120'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  // The end of a script element in a text of the program would end the element.
  return (outputFiles[0]?.text ?? '').trim().replaceAll('</', '<\\/');
}

export function pageOf(title: string, script: string, style: string, more: readonly string[] = []): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(script, style, more)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${style}</style></head>`,
    `<body><main id="view"></main><script>${script}</script></body></html>\n`,
  ].join('');
}

export async function buildPage(name: PageName): Promise<string> {
  return pageOf(titles[name], await minified(`apps/${name}/main.ts`), await minified('apps/shared/style.css'));
}

async function buildPages(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of pageNames) await writeFile(`${folder}/${name}.html`, await buildPage(name));
  // The page of `academy-mcp demo --open`, which frames the views and calls the demo.
  const [script, style] = [await minified('apps/host/main.ts'), await minified('apps/host/style.css')];
  const host = pageOf('academy-mcp demo', script, style, ["connect-src 'self'", "frame-src 'self'"]);
  await writeFile(`${folder}/host.html`, host);
}

const manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  author: z.union([z.string(), z.looseObject({ name: z.string() })]).optional(),
});

/** The licence comes first by its name, then notices. */
const legalFile = /^(licen[cs]e|copying|notice|third[-_]?party.*)([.-](?!(c|m)?[jt]s$).*)?$/i;
const licenceFile = /^(licen[cs]e|copying)/i;

/** Texts by SPDX id, for packages that ship no licence file. Any other licence fails the build. */
const known: Readonly<Record<string, string>> = {
  MIT: readFileSync('LICENSE', 'utf8').replace(/^.*?(?=Permission is)/s, ''),
  'Apache-2.0': readFileSync('node_modules/prom-client/LICENSE', 'utf8').replace(/\n *APPENDIX.*$/s, ''),
};

/** What a package must pass on: its licence (SPDX) and the texts, the licence first. Throws if one is not known. */
export async function licensedIn(folder: string) {
  const { name, version, license, author } = manifest.parse(
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
  );
  if (license === undefined) throw new Error(`${name} ${version} names no licence in its package.json`);
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.flatMap((entry) => (entry.isFile() && legalFile.test(entry.name) ? entry.name : [])).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  if (!files.some((file) => licenceFile.test(file))) {
    const text = known[license];
    if (text === undefined)
      throw new Error(`${name} ${version} ships no licence file (${license}): name its text in scripts/build.ts`);
    const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
    texts.unshift(`Copyright (c) ${holder}\n\n${text}`);
  }
  return { name, version, licence: license, texts: texts.map((text) => text.replaceAll('\r\n', '\n').trim()) };
}

const outdir = 'dist';
const rule = '='.repeat(80);

async function writeLicences(folders: readonly string[]): Promise<void> {
  const packages = await Promise.all(folders.map((folder) => licensedIn(folder)));
  const others = vendored.filter(
    ({ name, version }) => !packages.some((one) => one.name === name && one.version === version),
  );
  // The licence is read from the same package as installed here, in any version.
  const inside = others.map(async (own) => ({ ...(await licensedIn(`node_modules/${own.name}`)), ...own }));
  const all = [...packages, ...(await Promise.all(inside))];
  const parts = all
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, version, licence, texts }) => {
      return `${rule}\n${name} ${version} (${licence})\n${rule}\n\n${texts.join('\n\n')}\n`;
    });
  const first = `This program holds parts of ${all.length} other packages, under the licences below.\n\n`;
  await writeFile(`${outdir}/THIRD-PARTY-LICENSES.txt`, first + parts.join('\n'));
}

// Tests import functions of this file while others run the program: only the command itself builds.
if (import.meta.filename === process.argv[1]) {
  await writeLicences(packagesIn(await bundle(outdir)));
  await buildPages(`${outdir}/apps`);
  await cp('skills', `${outdir}/skills`, { recursive: true });
  // The files that check Node before they import the program: packages start these.
  await cp('scripts/package/launcher', outdir, { recursive: true });
}
