import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openEventInbox } from '../../src/events/event-inbox.ts';
import { describeTool } from '../../src/mcp/describe-tool.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';

/** One file for each listed tool, in which changes of the surface are reviewed. */
const snapshotFolder = new URL('../__toolsnaps__/', import.meta.url);

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
  return new Map(listed.map((tool) => [`${tool.name}.json`, `${JSON.stringify(tool, undefined, 2)}\n`]));
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
