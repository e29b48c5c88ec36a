// `npm run docs` writes the generated parts of the documents anew; with `--check` it only says which are stale.

import { readFile, writeFile } from 'node:fs/promises';
import { generatedParts } from './documents.ts';
import { type Parts, staleParts, withParts } from './parts.ts';

/** Returns one line for each part that the file did not show as it is. */
async function settle(file: string, parts: Parts, isCheck: boolean): Promise<string[]> {
  const path = new URL(`../../${file}`, import.meta.url);
  const document = await readFile(path, 'utf8');
  const stale = staleParts(document, parts);
  if (!isCheck && stale.length > 0) await writeFile(path, withParts(document, parts));
  return stale.map((name) => `${file}: "${name}" ${isCheck ? 'is stale; run npm run docs' : 'was written anew'}`);
}

const isCheck = process.argv.includes('--check');
const documents = Object.entries(await generatedParts());
const lines = (await Promise.all(documents.map(([file, parts]) => settle(file, parts, isCheck)))).flat();
for (const line of lines) process.stdout.write(`${line}\n`);
process.exitCode = isCheck && lines.length > 0 ? 1 : 0;
