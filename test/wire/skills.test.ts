import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { post, startHttp } from '../support/http-server.ts';

// By hand, from the specification of the extension (SEP-2640) and the files in skills/.

const extension = 'io.modelcontextprotocol/skills';
const names = [
  'enroll-a-class',
  'offboard-a-student',
  'restructure-a-course',
  'students-who-fall-behind',
  'weekly-report',
  'who-bought',
];

function fileOf(name: string): Buffer {
  return readFileSync(new URL(`../../skills/${name}/SKILL.md`, import.meta.url));
}

/** A request of a client of 2026-07-28, which declares the extension or not. */
function sender(url: string, declares = true) {
  return async (method: string, params: Record<string, unknown> = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': declares ? { extensions: { [extension]: {} } } : {},
    };
    const name = typeof params.uri === 'string' ? { 'mcp-name': params.uri } : {};
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
    return await post(url, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers);
  };
}

function entryOf(name: string) {
  const file = fileOf(name);
  const [, description, tools] = /\ndescription: (.+)\nmetadata:\n {2}tools: (.+)\n/.exec(String(file)) ?? [];
  const uri = `skill://${name}/SKILL.md`;
  const digest = `sha256:${createHash('sha256').update(file).digest('hex')}`;
  return {
    uri,
    frontmatter: { name, description, metadata: { tools } },
    resources: [{ uri, digest, size: file.byteLength }],
  };
}

test('a client that declares the extension finds, lists, gets and reads six skills', async () => {
  const { url } = await startHttp();
  const send = sender(url);
  const discovered = (await send('server/discover')).json.result as { capabilities: Record<string, object> };
  expect(discovered.capabilities).toMatchObject({ resources: {}, extensions: { [extension]: {} } });
  const listed = (await send('skills/list')).json.result as Record<string, unknown>;
  expect(listed).toMatchObject({ resultType: 'complete', cacheScope: 'private', ttlMs: 3_600_000 });
  expect(listed.skills).toEqual(names.map(entryOf));
  expect(listed).not.toHaveProperty('nextCursor');
  for (const name of names) {
    const uri = `skill://${name}/SKILL.md`;
    expect((await send('skills/get', { uri })).json.result).toMatchObject({ skill: entryOf(name), ttlMs: 3_600_000 });
    const contents = [{ uri, mimeType: 'text/markdown', text: String(fileOf(name)) }];
    expect((await send('resources/read', { uri })).json.result).toMatchObject({ contents });
  }
});

test('an unknown skill, file or cursor is refused', async () => {
  const { url } = await startHttp();
  const send = sender(url);
  const refused = [
    await send('skills/get', { uri: 'skill://nobody/SKILL.md' }),
    await send('skills/get', { uri: 'skill://../package.json' }),
    await send('resources/read', { uri: 'skill://who-bought/other.md' }),
    await send('skills/list', { cursor: 'x' }),
  ];
  for (const { json } of refused) expect(json).toMatchObject({ error: { code: -32602 } });
});

test('a caller gets only the skills whose tools it has', async () => {
  const { url } = await startHttp({ ACADEMY_READ_ONLY: 'true' });
  const { json } = await sender(url)('skills/list');
  const { skills } = json.result as { skills: { frontmatter: { name: string } }[] };
  expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual([
    'students-who-fall-behind',
    'weekly-report',
    'who-bought',
  ]);
  const hidden = await sender(url)('skills/get', { uri: 'skill://offboard-a-student/SKILL.md' });
  expect(hidden.json).toMatchObject({ error: { code: -32602 } });
});

test('no other client sees a trace of the skills', async () => {
  const { url } = await startHttp({}, { stateless: true });
  const send = sender(url, false);
  for (const method of ['server/discover', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    expect((await send(method)).text, method).not.toContain('skill');
  }
});
