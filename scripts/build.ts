import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { bundle, packagesIn, type Vendored, vendoredIn } from './bundle.ts';

/** The views of MCP Apps: `apps/<name>/main.ts` becomes one page without other files. */
export const pageNames = ['buyers', 'sales', 'outline'] as const;

export type PageName = (typeof pageNames)[number];

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
export async function buildPages(folder: string): Promise<void> {
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
export interface Licensed {
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

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Texts by SPDX id, for packages that name their licence and ship no file of it. Any other one fails the build. */
const known: ReadonlyMap<string, string> = new Map([
  ['MIT', mit],
  ['Apache-2.0', readFileSync(new URL('./licence-texts/Apache-2.0.txt', import.meta.url), 'utf8').trim()],
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
export function licencesText(packages: readonly Licensed[]): string {
  const parts = packages.map(
    ({ name, version, licence, texts }) =>
      `${rule}\n${name} ${version} (${licence})\n${rule}\n\n${texts.join('\n\n')}\n`,
  );
  return `This program holds parts of ${packages.length} other packages, under the licences below.\n\n${parts.join('\n')}`;
}

const outdir = 'dist';
const folders = packagesIn(await bundle(outdir));
const packages = await Promise.all(folders.map((folder) => licensedIn(folder)));
const isThere = ({ name, version }: Vendored) => packages.some((one) => one.name === name && one.version === version);

/** Its licence is read from the same package as installed here, in any version. */
async function licensedAs({ name, version }: Vendored): Promise<Licensed> {
  return { ...(await licensedIn(`node_modules/${name}`)), version };
}

const others = (await vendoredIn(outdir)).filter((one) => !isThere(one));
const all = [...packages, ...(await Promise.all(others.map(licensedAs)))];
const sorted = all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
await writeFile(`${outdir}/THIRD-PARTY-LICENSES.txt`, licencesText(sorted));
await buildPages(`${outdir}/apps`);
await cp('skills', `${outdir}/skills`, { recursive: true });
// The files that check Node before they import the program: packages start these.
await cp('scripts/package/launcher', outdir, { recursive: true });
