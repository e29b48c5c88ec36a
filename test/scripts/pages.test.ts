import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildPage, pageNames, pageOf } from '../../scripts/build.ts';
import { views } from '../../tools/views.ts';

/** 80 KB: a client loads a page before it shows anything. */
const maxPageBytes = 80 * 1024;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The only text of a kind of element. */
function inside(html: string, name: string): string {
  const found = [...html.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))];
  expect(found, name).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

test('every view is a page, and every page is a view', () => {
  expect(views.map(({ uri }) => uri)).toEqual(pageNames.map((name) => `ui://academy/${name}.html`));
});

for (const name of pageNames) {
  test(`the page ${name} is one file that runs its own script and style alone, and makes no request`, async () => {
    const html = await buildPage(name);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(inside(html, 'script'))}`,
      `style-src ${hashOf(inside(html, 'style'))}`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style'));
    expect(html).not.toMatch(/\b(src|href)=/);
    expect([...html.matchAll(/https?:\/\/[^"'` ]*/g)].map(([url]) => url)).toEqual(
      name === 'sales' ? ['http://www.w3.org/2000/svg'] : [],
    );
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(maxPageBytes);
  });
}

test('a text of the program cannot end its script element', () => {
  expect(inside(pageOf('Tricky', 'const text = "<\\/script>"', ''), 'script')).toContain('text');
});

test('no view writes markup, evaluates text, stores anything or sends a request', () => {
  const root = new URL('../../apps/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(15);
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|localStorage|cookie|XMLHttpRequest|WebSocket|DOMParser|\.srcdoc/;
  for (const file of files) {
    const text = readFileSync(new URL(file, root), 'utf8');
    expect(text, file).not.toMatch(forbidden);
    // Only the page of the demo calls its server.
    if (!file.startsWith('host')) expect(text, file).not.toMatch(/\bfetch\(/);
  }
});
