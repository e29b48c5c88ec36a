import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { generatedParts } from '../../scripts/docs/documents.ts';
import { staleParts, withParts } from '../../scripts/docs/parts.ts';
import { unreadableAnswer } from '../../src/api/http/errors.ts';
import { tooLate } from '../../src/api/rate-limit/limiter.ts';
import { loadConfig } from '../../src/config/load.ts';
import { settings } from '../../src/config/settings.ts';
import { events } from '../../src/contract/events.ts';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { errorText } from '../../src/mcp/output/error-text.ts';
import { parseAccountsFile } from '../../src/sandbox/accounts/accounts-file.ts';
import { SettingsError } from '../../src/shared/errors.ts';
import { tools } from '../../tools/index.ts';

const root = new URL('../../', import.meta.url);
const inDocs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' });
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...inDocs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name.replaceAll('\\', '/')}`),
];

function read(page: string): string {
  return readFileSync(new URL(page, root), 'utf8');
}

/** Every match of the first group of `pattern` in all pages, with the page that it is from. */
function found(pattern: RegExp): { page: string; word: string }[] {
  return pages.flatMap((page) => [...read(page).matchAll(pattern)].map(([, word = '']) => ({ page, word })));
}

/** Anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('the generated parts of the documents are up to date', async () => {
  for (const [page, parts] of Object.entries(await generatedParts())) {
    expect(staleParts(read(page), parts), `${page}: run npm run docs`).toEqual([]);
  }
});

test('a stale part is found, written anew, and the rest of the page is kept', () => {
  const page = 'Before.\n<!-- generated: a -->\nold\n<!-- end: a -->\nAfter.\n';
  expect(staleParts(page, { a: 'costs $1 and $&' })).toEqual(['a']);
  const written = withParts(page, { a: 'costs $1 and $&' });
  expect(written).toBe('Before.\n<!-- generated: a -->\n\ncosts $1 and $&\n\n<!-- end: a -->\nAfter.\n');
  expect(staleParts(written, { a: 'costs $1 and $&' })).toEqual([]);
  expect(() => withParts(page, { b: '' })).toThrow(/no marks for the part "b"/);
});

test('every relative link leads to a file, and to a heading that is there', () => {
  const links = found(/\]\((?!https?:)([^)\s]+)\)/g);
  expect(links.length).toBeGreaterThan(30);
  for (const { page, word } of links) {
    const [path = '', anchor] = word.split('#');
    const target = new URL(path === '' ? page : path, new URL(page, root));
    const inside = target.href.replace(root.href, '');
    expect(existsSync(path === '' ? new URL(page, root) : target), `${page}: ${word}`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(path === '' ? page : inside), `${page}: ${word}`).toContain(anchor);
  }
});

test('every ACADEMY_ word is a setting', () => {
  const known = Object.values(settings).map(({ env }) => env);
  const words = found(/\b(ACADEMY_[A-Z_]+)\b(?! is not a setting)/g);
  expect(new Set(words.map(({ word }) => word))).toEqual(new Set(known.filter((env) => env.startsWith('ACADEMY_'))));
});

test('every word that looks like a tool is one', () => {
  const names = tools.map(({ name }) => name);
  const words = found(/`((?:list|get|search|create|update|enroll|unenroll|revoke|grant|reset)_[a-z_]+)`/g);
  expect(words.length).toBeGreaterThan(36);
  for (const { page, word } of words) expect(names, page).toContain(word);
});

test('every npm script that is named exists', () => {
  const named = found(/npm (?:run )?((?<=run )[a-z]+|start|test)\b/g);
  const scripts = Object.keys(packageJson.scripts);
  for (const { page, word } of named) expect(scripts, page).toContain(word);
  expect(read('README.md')).toContain('npm ci && npm run demo\n');
  expect(read('README.md')).toContain('npm ci && npm test\n');
});

test('the example configuration is valid and names settings that exist', () => {
  const text = read('claude_desktop_config.example.json');
  const { env } = JSON.parse(text).mcpServers.academy;
  expect(loadConfig({}, env).baseUrl.href).toBe('https://academy.example.com/');
  expect(read('README.md')).toContain(text.trim());
});

test('the example of several accounts is one that the sandbox takes', () => {
  const file = 'docs/examples/sandbox-accounts.json';
  expect(parseAccountsFile(read(file), file).map(({ subdomain }) => subdomain)).toEqual(['harbour', 'meadow']);
});

/** Wrong environments, and so the lines that a person reads at the start. */
const mistakes: Record<string, string>[] = [
  {},
  { ACADEMY_READONLY: 'true' },
  { ACADEMY_BASE_URL: 'https://academy.example.com/api/v1' },
  { ACADEMY_BASE_URL: 'http://academy.example.com' },
];

function lineFor(environment: Record<string, string>): string {
  try {
    loadConfig({}, environment);
  } catch (error) {
    if (error instanceof SettingsError) return [`academy-mcp: ${error.message}.`, error.hint].join(' ').trim();
  }
  throw new Error('the settings were taken');
}

test('the messages under Troubleshooting are those that the program prints', () => {
  const refusals = [tooLate(57_000), unreadableAnswer(200)].map((error) => errorText(error).split('\n')[0] ?? '');
  for (const line of [...mistakes.map(lineFor), ...refusals]) expect(read('README.md')).toContain(`\n${line}\n`);
});

test('docs/api.md has every operation with its method and path', () => {
  for (const { method, path } of operations) expect(read('docs/api.md')).toContain(`\`${method} ${path}\``);
});

test('docs/api.md names every argument', () => {
  for (const { id, query, body } of operations) {
    const names = Object.keys({ ...query, ...body });
    for (const name of names) expect(read('docs/api.md'), id).toContain(`\`${name}\``);
  }
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

test('docs/api.md names every field of every answer and event', () => {
  const eventFields = Object.values(events).flatMap(fieldsIn);
  for (const name of [...operations.flatMap(answerFields), ...Object.keys(events), ...eventFields]) {
    // The acknowledgement of the student endpoints is an assumption, shown there as JSON.
    if (name !== 'success') expect(read('docs/api.md')).toContain(`\`${name}\``);
  }
});
