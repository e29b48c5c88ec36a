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
interface Vendored {
  readonly name: string;
  readonly version: string;
}

/** Packages within packages: only the source maps of a finished bundle tell of them. In order. */
async function vendoredIn(outdir: string): Promise<Vendored[]> {
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

/** The views of MCP Apps: `apps/<name>/main.ts` becomes one page without other files. */
export const pageNames = ['buyers', 'sales', 'outline'] as const;

type PageName = (typeof pageNames)[number];

/** 80 KB: a client loads a page before it shows anything. */
export const maxPageBytes = 80 * 1024;

const titles: Record<PageName, string> = { buyers: 'Buyers', sales: 'Sales', outline: 'Outline of a course' };

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

/** A page of one script and one style. Throws if it is too large. */
export function pageOf(title: string, script: string, style: string, more: readonly string[] = []): string {
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(script, style, more)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${style}</style></head>`,
    `<body><main id="view"></main><script>${script}</script></body></html>\n`,
  ].join('');
  const bytes = Buffer.byteLength(html);
  if (bytes > maxPageBytes) {
    throw new Error(`the page ${title} has ${bytes} bytes; at most ${maxPageBytes} are allowed`);
  }
  return html;
}

/** One page as a client receives it. */
export async function buildPage(name: PageName): Promise<string> {
  const [script, style] = await Promise.all([minified(`apps/${name}/main.ts`), minified('apps/shared/style.css')]);
  return pageOf(titles[name], script, style);
}

/** The page of `academy-mcp demo --open`, which frames the views and calls the demo. */
async function buildDemoPage(): Promise<string> {
  const [script, style] = await Promise.all([minified('apps/host/main.ts'), minified('apps/host/style.css')]);
  return pageOf('academy-mcp demo', script, style, ["connect-src 'self'", "frame-src 'self'"]);
}

/** Writes every page into `folder`. */
async function buildPages(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of pageNames) await writeFile(`${folder}/${name}.html`, await buildPage(name));
  await writeFile(`${folder}/host.html`, await buildDemoPage());
}

const manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  author: z.union([z.string(), z.looseObject({ name: z.string() })]).optional(),
});

/** A package in the bundle, with all that its licence asks to be passed on. */
interface Licensed {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as its package.json has it. */
  readonly licence: string;
  /** The licence first, then notices. */
  readonly texts: readonly string[];
}

const licenceFile = /^(licen[cs]e|copying)([.-].*)?$/i;
const noticeFile = /^(notice|third[-_]?party.*)([.-].*)?$/i;
const isText = (name: string) => !/\.(c|m)?[jt]s$/i.test(name);

async function textsOf(folder: string, names: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(names.toSorted().map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => text.replaceAll('\r\n', '\n').trim()).filter((text) => text !== '');
}

const textIn = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

/**
 * Texts by SPDX id, for packages that name their licence and ship no file of it: those of this project and of a dependency.
 * Any other licence fails the build.
 */
const known: ReadonlyMap<string, string> = new Map([
  [
    'MIT',
    textIn('LICENSE')
      .replace(/^.*?(?=Permission is)/s, '')
      .trim(),
  ],
  [
    'Apache-2.0',
    textIn('node_modules/prom-client/LICENSE')
      .replace(/\n *APPENDIX.*$/s, '')
      .trim(),
  ],
]);

/** Reads what a package ships. Throws where its licence or the text of it is not known. */
export async function licensedIn(folder: string): Promise<Licensed> {
  const { name, version, license, author } = manifest.parse(
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
  );
  if (license === undefined) throw new Error(`${name} ${version} names no licence in its package.json`);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && isText(entry.name)).map((entry) => entry.name);
  const own = await textsOf(
    folder,
    names.filter((file) => licenceFile.test(file)),
  );
  const notices = await textsOf(
    folder,
    names.filter((file) => noticeFile.test(file)),
  );
  const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  const text = known.get(license);
  const standIn = text === undefined ? [] : [`Copyright (c) ${holder}\n\n${text}`];
  const texts = own.length > 0 ? own : standIn;
  if (texts.length === 0)
    throw new Error(`${name} ${version} ships no licence file (${license}): name its text in scripts/build.ts`);
  return { name, version, licence: license, texts: [...texts, ...notices] };
}

const rule = '='.repeat(80);

/** The file that is shipped: a heading for each package, `name version (licence)`, and its texts. */
function licencesText(packages: readonly Licensed[]): string {
  const parts = packages.map(
    ({ name, version, licence, texts }) =>
      `${rule}\n${name} ${version} (${licence})\n${rule}\n\n${texts.join('\n\n')}\n`,
  );
  return `This program holds parts of ${packages.length} other packages, under the licences below.\n\n${parts.join('\n')}`;
}

const outdir = 'dist';

async function writeLicences(): Promise<void> {
  const folders = packagesIn(await bundle(outdir));
  const packages = await Promise.all(folders.map((folder) => licensedIn(folder)));
  const isThere = ({ name, version }: Vendored) => packages.some((one) => one.name === name && one.version === version);
  /** Its licence is read from the same package as installed here, in any version. */
  const licensedAs = async ({ name, version }: Vendored): Promise<Licensed> => ({
    ...(await licensedIn(`node_modules/${name}`)),
    version,
  });
  const others = (await vendoredIn(outdir)).filter((one) => !isThere(one));
  const all = [...packages, ...(await Promise.all(others.map(licensedAs)))];
  const sorted = all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  await writeFile(`${outdir}/THIRD-PARTY-LICENSES.txt`, licencesText(sorted));
}

// Tests import functions of this file while others run the program: only the command itself builds.
if (import.meta.filename === process.argv[1]) {
  await writeLicences();
  await buildPages(`${outdir}/apps`);
  await cp('skills', `${outdir}/skills`, { recursive: true });
  // The files that check Node before they import the program: packages start these.
  await cp('scripts/package/launcher', outdir, { recursive: true });
}
