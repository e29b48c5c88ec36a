import { readdir, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { invalidRequest } from '../../mcp/rpc-error.ts';
import type { Service } from '../../mcp/service.ts';
import { isObject } from '../../shared/json.ts';
import { declares, handler, resourceParams } from '../requests.ts';

/** Skills over MCP, SEP-2640. */
export const skillsExtension = 'io.modelcontextprotocol/skills';

/** The folder of the skills, from a chunk of the bundle, a file of the bundle, or this file. */
const folders = ['../skills/', './skills/', '../../../skills/'];

/** What the client can do, from the envelope of its request: there is no session that would remember it. */
export const capabilitiesIn = (envelope: unknown): unknown =>
  isObject(envelope) ? envelope['io.modelcontextprotocol/clientCapabilities'] : undefined;

export function asksForSkills(message: unknown): boolean {
  const params = isObject(message) && isObject(message.params) ? message.params : {};
  return declares(skillsExtension, capabilitiesIn(params._meta));
}

/** A skill is of use only if the caller has every tool that it names. `metadata` of the front matter lists them. */
const needs = z.looseObject({ metadata: z.object({ tools: z.string() }) });

async function readSkill(folder: URL, name: string) {
  const { skillEntry } = await import('@modelcontextprotocol/server/ext/skills');
  const text = await readFile(new URL(`${name}/SKILL.md`, folder), 'utf8');
  const entry = await skillEntry(name, { 'SKILL.md': text });
  return { entry, text, tools: needs.parse(entry.frontmatter).metadata.tools.split(' ') };
}

type Skill = Awaited<ReturnType<typeof readSkill>>;

async function readSkills(): Promise<Skill[]> {
  for (const path of folders) {
    const folder = new URL(path, import.meta.url);
    const names = await readdir(folder).catch(() => undefined);
    if (names !== undefined) return await Promise.all(names.sort().map((name) => readSkill(folder, name)));
  }
  throw new Error('the skills are missing: run npm run build');
}

let read: Promise<Skill[]> | undefined;

/** The files are read once: they never change while the program runs. */
async function skillsFor({ lists }: Service): Promise<Skill[]> {
  read ??= readSkills();
  return (await read).filter((skill) => skill.tools.every(lists.has));
}

/** How long a client may cache what depends on its caller alone and does not change while this program runs. */
export const cacheHint = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

const skillListParams = z.looseObject({ cursor: z.never('is unknown: skills/list has one page').optional() });

/** The handlers of `skills/list` and `skills/get`, and that of resources, which skills are too. */
export function skillHandlers(service: Service) {
  const find = async (uri: string) => (await skillsFor(service)).find(({ entry }) => entry.uri === uri);
  return {
    'skills/list': handler(skillListParams, async () => ({
      skills: (await skillsFor(service)).map(({ entry }) => entry),
    })),
    'skills/get': handler(resourceParams, async ({ uri }) => {
      const skill = await find(uri);
      if (skill === undefined) throw invalidRequest('Unknown skill: skills/list shows the available ones');
      return { skill: skill.entry, ...cacheHint };
    }),
    'resources/read': handler(resourceParams, async ({ uri }, { asking }) => {
      const skill = uri.startsWith('skill://') ? await find(uri) : undefined;
      if (skill === undefined) return await service.read(uri, asking);
      return { contents: [{ uri, mimeType: 'text/markdown', text: skill.text }] };
    }),
  };
}
