import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openEventInbox } from '../../src/events/event-feed.ts';
import { describeTool } from '../../src/mcp/describe-tool.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';

/** One file for each listed tool, in which changes of the surface are reviewed. */
const snapshotFolder = new URL('../__toolsnaps__/', import.meta.url);

/** JSON in which a value that fits in a line stands in one: an argument a line, mostly, so that a diff names it. */
function readableJson(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  if (typeof value !== 'object' || value === null || isList || indent.length + flat.length <= 120) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => inner + readableJson(item, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => `${inner}${JSON.stringify(key)}: ${readableJson(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** The text of every snapshot by file name, for the default settings, a journal and webhooks. */
export function currentSnapshots(): Map<string, string> {
  const config = loadConfig(
    {},
    {
      ACADEMY_BASE_URL: 'https://academy.example.com',
      ACADEMY_API_KEY: 'none',
      ACADEMY_JOURNAL: 'memory',
    },
  );
  // Some tools are listed only with events.
  const events = openEventInbox({ account: 'default' });
  const app = createApp({ config, ...catalog, log: createLogger('silent', [], { write: () => {} }), events });
  const listed = app.tools.map(describeTool);
  return new Map(listed.map((tool) => [`${tool.name}.json`, `${readableJson(tool)}\n`]));
}

export async function storedSnapshots(): Promise<Map<string, string>> {
  const names = (await readdir(snapshotFolder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, snapshotFolder), 'utf8')));
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}

/** Updates the folder: writes every snapshot and deletes those of removed tools. */
export async function writeSnapshots(): Promise<void> {
  await rm(snapshotFolder, { recursive: true, force: true });
  await mkdir(snapshotFolder, { recursive: true });
  for (const [name, text] of currentSnapshots()) await writeFile(new URL(name, snapshotFolder), text);
}
