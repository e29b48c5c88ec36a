import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

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
    throw new Error(`${name} ${version} ships no licence file (${license}): see scripts/licences.ts`);
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
