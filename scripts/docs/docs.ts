// `npm run docs` writes the generated parts of the documents; with `--check` it only says which are stale.

import { readFile, writeFile } from 'node:fs/promises';
import { generatedDocuments } from './documents.ts';
import { type Parts, staleParts, withParts } from './marked-parts.ts';

const isCheck = process.argv.includes('--check');
const result = isCheck ? 'is stale; run npm run docs' : 'was written';

function pathOf(file: string): URL {
  return new URL(`../../${file}`, import.meta.url);
}

/** Returns one line for each stale part. */
async function updateParts(file: string, parts: Parts): Promise<string[]> {
  const document = await readFile(pathOf(file), 'utf8');
  const stale = staleParts(document, parts);
  if (!isCheck && stale.length > 0) await writeFile(pathOf(file), withParts(document, parts));
  return stale.map((name) => `${file}: "${name}" ${result}`);
}

async function updateFile(file: string, content: string): Promise<string[]> {
  const current = await readFile(pathOf(file), 'utf8').catch(() => undefined);
  if (current === content) return [];
  if (!isCheck) await writeFile(pathOf(file), content);
  return [`${file} ${result}`];
}

const { parts, files } = await generatedDocuments();
const updates = [
  ...Object.entries(parts).map(([file, inFile]) => updateParts(file, inFile)),
  ...Object.entries(files).map(([file, content]) => updateFile(file, content)),
];
const lines = (await Promise.all(updates)).flat();
for (const line of lines) process.stdout.write(`${line}\n`);
process.exitCode = isCheck && lines.length > 0 ? 1 : 0;
