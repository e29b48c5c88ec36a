import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { generatedDocuments, withParts } from '../../scripts/docs/docs.ts';
import { parseAccountsFile as parseServedAccounts } from '../../src/accounts/load-accounts.ts';
import { unreadableResponseError } from '../../src/api/http/errors.ts';
import { waitTooLongError } from '../../src/api/rate-limit/limiter.ts';
import { loadConfig } from '../../src/config/load.ts';
import { fileVariableOf, type Setting, settings } from '../../src/config/settings.ts';
import { events } from '../../src/contract/events.ts';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { errorText } from '../../src/mcp/output/error-text.ts';
import { supportedVersions } from '../../src/protocol/message.ts';
import { parseAccountsFile } from '../../src/sandbox/accounts.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { errorCodes } from '../../src/shared/errors.ts';
import { eventTools, journalTools, tools } from '../../tools/index.ts';
import { listAccounts } from '../../tools/list-accounts.ts';
import { runHere } from '../support/command-line.ts';
import { connect } from '../support/connect.ts';
import { blocksOf, found, handwritten, pages, read, root } from './pages.ts';

/** Anchors of the headings of a page, as GitHub makes them: the second of the same name ends with -1. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const earlier = seen.get(anchor) ?? 0;
    seen.set(anchor, earlier + 1);
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}

function exists(path: string): boolean {
  return existsSync(new URL(path, root));
}

test('the generated parts and files of the documents are up to date', async () => {
  for (const [file, content] of Object.entries(await generatedDocuments()))
    expect(read(file) === content, `${file}: run npm run docs`).toBe(true);
});

test('a part is replaced, and the rest of the page is kept', () => {
  const page = 'Before.\n<!-- generated: a -->\nold\n<!-- end: a -->\nAfter.\n';
  const written = withParts(page, { a: 'costs $1 and $&' });
  expect(written).toBe('Before.\n<!-- generated: a -->\n\ncosts $1 and $&\n\n<!-- end: a -->\nAfter.\n');
  expect(withParts(written, { a: 'costs $1 and $&' })).toBe(written);
  expect(() => withParts(page, { b: '' })).toThrow(/no marks for the part "b"/);
});

test('docs/troubleshooting.md shows messages as the program prints them', async () => {
  const shown = (text: string) => `\`\`\`text\n${text}\n\`\`\`\n`;
  const page = read('docs/troubleshooting.md');
  const mistakes = [{}, { ACADEMY_BASE_URL: 'https://school.test', ACADEMY_API_KEY: 'your-api-key' }];
  for (const environment of mistakes) {
    expect(page).toContain(shown((await runHere([], environment)).stderr.trim()));
  }
  const notJson = { kind: 'answered', status: 200, headers: {}, body: 'text' } as const;
  for (const error of [unreadableResponseError(notJson), waitTooLongError(57_000)]) {
    expect(page).toContain(shown(errorText(error).split('\n')[0] ?? ''));
  }
});

test('docs/task-tools.md shows an answer of diagnose_access as the sandbox gives it', async () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const { url, apiKey, close } = await startSandbox({ seed: 1, now });
  onTestFinished(() => close());
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_API_KEY: apiKey }, { now: () => now });
  const [, args = '', answer = ''] =
    /calls\*\* `diagnose_access`:\s+```json\n(.*)\n```[^`]*```text\n([^`]*)\n```/.exec(read('docs/task-tools.md')) ??
    [];
  expect((await call('diagnose_access', JSON.parse(args))).text).toBe(answer);
});

test('the README is short, has no encoded settings and a link to every document for users', () => {
  const readme = read('README.md');
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(200);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_300);
  expect(readme).not.toMatch(/[\w%+/=-]{60,}/);
  for (const page of pages.filter((name) => /^docs\/[^/]+\.md$/.test(name))) expect(readme).toContain(`(${page})`);
});

test('the first picture of the README exists in light and dark, and is read at 400 pixels', () => {
  const readme = read('README.md');
  const first = /<picture>[\s\S]*?<\/picture>/.exec(readme)?.[0] ?? '';
  expect(readme.indexOf(first)).toBeLessThan(600);
  expect(first).toContain('width="400"');
  expect(first).toMatch(/alt="Question: .{100,}"/);
  const files = [...first.matchAll(/docs\/images\/[\w-]+\.png/g)].map(([file]) => file);
  expect(files).toEqual(['docs/images/first-question-dark.png', 'docs/images/first-question-light.png']);
  // The width is in the head of a PNG: two pixels for each of the page.
  for (const file of files) expect(readFileSync(new URL(file, root)).readUInt32BE(16), file).toBe(800);
});

/** GitHub shows a page below `blob/main/`, so this leads from the root of the repository to its newest release. */
const releaseLink = 'releases/latest/download/academy-mcp.mcpb';

test('the bundle is downloaded from the newest release, by the name that npm run mcpb gives it', () => {
  const links = found(/\]\(([./]*releases\/[^)\s]+)\)/g);
  expect(links).toEqual([
    { page: 'README.md', word: `../../${releaseLink}` },
    { page: 'docs/install.md', word: `../../../${releaseLink}` },
  ]);
  expect(read('scripts/mcpb/bundle.ts')).toContain("'build/academy-mcp.mcpb'");
});

test('every relative link leads to a file, and to a heading that exists', () => {
  const links = found(/\]\((?!https?:)([^)\s]+)\)/g);
  expect(links.length).toBeGreaterThan(30);
  for (const { page, word } of links.filter((link) => !link.word.endsWith(releaseLink))) {
    const [path = '', anchor] = word.split('#');
    const target = new URL(path === '' ? page : path, new URL(page, root));
    const inside = target.href.replace(root.href, '');
    expect(existsSync(path === '' ? new URL(page, root) : target), `${page}: ${word}`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(path === '' ? page : inside), `${page}: ${word}`).toContain(anchor);
  }
});

test('a link that is called by a file name leads to that file', () => {
  const links = pages.flatMap((page) => [...read(page).matchAll(/\[([\w-]+\.(?:ts|md|json))\]\(([^)\s#]+)/g)]);
  expect(links.length).toBeGreaterThan(30);
  for (const [link, name = '', path] of links) expect(`/${path}`.endsWith(`/${name}`), link).toBe(true);
});

/** A file or folder of the project in backticks: it begins with a folder of the project, or is a file at its root. */
const pathPattern =
  /`((?:src|tools(?!\/(?:list|call)`)|test|scripts|docs|deploy|\.ci|\.github|\.claude-plugin)\/[^`\s<>*{}…]*|Dockerfile|[\w.-]+\.(?:json|yaml))`/g;

test('every path that a document names exists', () => {
  // The changelog tells of files as they were named at the time.
  const paths = found(pathPattern).filter(({ page }) => page !== 'CHANGELOG.md');
  expect(paths.length).toBeGreaterThan(60);
  for (const { page, word } of paths) {
    expect(exists(word), `${page} names ${word}`).toBe(true);
  }
});

test('every source file that a document names without its folder exists', () => {
  const names = new Set(
    ['src', 'tools', 'apps', 'test', 'scripts']
      .flatMap((folder) => readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }))
      .map((path) => path.replace(/^.*[\\/]/, '')),
  );
  const named = found(/`([\w-]+(?:\.test)?\.ts)`/g, handwritten).filter(({ page }) => page !== 'CHANGELOG.md');
  expect(named.length).toBeGreaterThan(3);
  for (const { page, word } of named) expect(names.has(word), `${page} names ${word}`).toBe(true);
});

test('every ACADEMY_ word is a setting, and every setting is in a document', () => {
  const known = Object.values(settings).map(({ env }) => env);
  const words = found(/\b(ACADEMY_[A-Z_]+)\b(?! is not a setting)/g).map(({ word }) => word);
  const files = Object.values<Setting>(settings).map(fileVariableOf);
  const ours = words.filter((word) => !files.includes(word));
  expect(new Set(ours)).toEqual(new Set(known.filter((env) => env.startsWith('ACADEMY_'))));
});

/** A default that a row of a table states of the one setting that it names: "default 0.3", "`off` (default)", or a number right before it. */
const statedDefault = /\bdefault:? `?([\w./-]*\w)|`(\w+)` \(default\)|(\d[\d,.]*\d|\d),? `ACADEMY_/;

function statedDefaultsOf(text: string): { env: string; stated: string }[] {
  return [...text.matchAll(/^\|.*\|$/gm)].flatMap(([row]) => {
    const [env, ...others] = new Set([...row.matchAll(/ACADEMY_[A-Z_]+/g)].map(([name]) => name));
    const [, word, marked, number] = statedDefault.exec(row) ?? [];
    const stated = word ?? marked ?? number?.replaceAll(',', '');
    return env === undefined || others.length > 0 || stated === undefined ? [] : [{ env, stated }];
  });
}

test('a default that a row of a table repeats is read, beside its setting or after the word', () => {
  expect(statedDefaultsOf('| calls | 1,600, `ACADEMY_A` | 429 |')).toEqual([{ env: 'ACADEMY_A', stated: '1600' }]);
  expect(statedDefaultsOf('| `ACADEMY_B` | a share; default 0.3 |')).toEqual([{ env: 'ACADEMY_B', stated: '0.3' }]);
  expect(statedDefaultsOf('| `ACADEMY_B` | `off` (default) or a file |')).toEqual([
    { env: 'ACADEMY_B', stated: 'off' },
  ]);
  expect(statedDefaultsOf('| 2,000 orders | `ACADEMY_C` |')).toEqual([]);
});

test('a default that a hand-written table repeats is that of the setting', () => {
  const defaults = new Map(
    Object.values<Setting>(settings).map(({ env, schema }) => [env, String(schema.safeParse(undefined).data)]),
  );
  const stated = pages.flatMap((page) => statedDefaultsOf(handwritten(page)).map((claim) => ({ page, ...claim })));
  expect(stated.length).toBeGreaterThan(2);
  for (const { page, env, stated: value } of stated) expect(value, `${page}: ${env}`).toBe(defaults.get(env));
});

test('the table of errors has every code, and no other', () => {
  const [, errors = ''] = read('docs/task-tools.md').split('| Code |');
  const codes = [...errors.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
  expect(codes.sort()).toEqual([...errorCodes].sort());
});

test('every word that looks like a tool is one', () => {
  const names = [...tools, ...eventTools, ...journalTools, listAccounts].map(({ name }) => name);
  const words = found(/`((?:list|get|search|create|update|enroll|unenroll|revoke|grant|reset)_[a-z_]+)`/g);
  expect(words.length).toBeGreaterThan(names.length);
  for (const { page, word } of words) expect(names, page).toContain(word);
});

test('no document counts tools or operations by hand', () => {
  const number = '(?:\\d+|two|three|four|five|six|seven|eight|nine|ten|[a-z]+ty(?:-[a-z]+)?)';
  const counts = new RegExp(
    `\\b(?:with|has|have|all|the|its|our|and) (${number} (?:\\w+ )?(?:tools|operations))\\b`,
    'gi',
  );
  const measured = ['CHANGELOG.md', 'docs/internals/reliability.md', 'docs/internals/performance.md'];
  const places = found(counts, handwritten).filter(({ page }) => !measured.includes(page));
  expect(places.map(({ page, word }) => `${page}: ${word}`)).toEqual([]);
});

test('the README names the protocol versions that the server card names', () => {
  expect(read('README.md')).toContain(`| Protocol versions | ${supportedVersions.join(', ')} |`);
});

test('every npm script that is named exists', () => {
  const named = found(/npm (?:run )?((?<=run )[a-z-]+|start|test)\b/g);
  const scripts = Object.keys(packageJson.scripts);
  for (const { page, word } of named) expect(scripts, page).toContain(word);
  expect(read('README.md')).toContain('npm ci && npm run demo\n');
  expect(read('README.md')).toContain('npm ci && npm test\n');
});

test('every JSON block of a document is valid JSON', () => {
  const blocks = pages.flatMap(blocksOf).filter(({ language }) => language === 'json');
  expect(blocks.length).toBeGreaterThan(5);
  for (const { page, text } of blocks) expect(() => JSON.parse(text), `${page}: ${text}`).not.toThrow();
});

test('the example configuration is valid and names settings that exist', () => {
  const text = read('claude_desktop_config.example.json');
  const { env } = JSON.parse(text).mcpServers.academy;
  expect(loadConfig({}, { ...env, ACADEMY_API_KEY: 'a-key' }).baseUrl.href).toBe('https://academy.example.com/');
  expect(read('docs/install.md')).toContain(text.trim());
});

test('the example of several accounts is one that the sandbox takes', () => {
  const file = 'docs/examples/sandbox-accounts.json';
  expect(parseAccountsFile(read(file), file).map(({ subdomain }) => subdomain)).toEqual(['harbour', 'meadow']);
});

test('the example of an accounts file is valid but for its addresses, which belong to nobody', () => {
  const file = 'docs/examples/accounts.json';
  const text = read(file).replaceAll('.example.com', '.academy.test');
  expect(parseServedAccounts(text, file).accounts.map(({ name }) => name)).toEqual(['harbour', 'meadow']);
  const inPage = blocksOf('docs/accounts.md').find(({ language }) => language === 'json')?.text ?? '';
  expect(parseServedAccounts(inPage.replaceAll('.example.com', '.academy.test'), file).callers.length).toBe(2);
});

/** Names that docs/internals/api.md does not have in code quotes. */
function notInApiDocument(names: readonly string[]): string[] {
  const text = read('docs/internals/api.md');
  return names.filter((name) => !text.includes(`\`${name}\``));
}

test('docs/internals/api.md has every operation with its method and path', () => {
  expect(notInApiDocument(operations.map(({ method, path }) => `${method} ${path}`))).toEqual([]);
});

test('docs/internals/api.md names every argument', () => {
  expect(notInApiDocument(operations.flatMap(({ query, body }) => Object.keys({ ...query, ...body })))).toEqual([]);
});

/** The names of all fields in a schema, however deep. */
function fieldsIn(schema: unknown): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return fieldsIn(schema.unwrap());
  if (schema instanceof z.ZodArray) return fieldsIn(schema.element);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, field]) => [name, ...fieldsIn(field)]);
}

function answerFields({ response }: Operation): string[] {
  if (response.kind !== 'list') return fieldsIn(response.schema);
  return [response.key, ...fieldsIn(response.item), ...fieldsIn(response.extra)];
}

test('docs/internals/api.md names every field of every answer and event', () => {
  const eventFields = Object.values(events).flatMap(fieldsIn);
  const names = [...operations.flatMap(answerFields), ...Object.keys(events), ...eventFields];
  // The acknowledgement of the student endpoints is an assumption, shown there as JSON.
  expect(notInApiDocument(names.filter((name) => name !== 'success'))).toEqual([]);
});
