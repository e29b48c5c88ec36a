import { readdirSync, readFileSync } from 'node:fs';

export const root = new URL('../../', import.meta.url);

const inDocs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' });

/** Every document of the project, as a path from its root. */
export const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...inDocs
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
];

export function read(page: string): string {
  return readFileSync(new URL(page, root), 'utf8');
}

/** What people wrote: without the parts that are made from the code or by measurements. */
export function handwritten(page: string): string {
  return read(page).replace(/<!-- generated: (.+?) -->[\s\S]*?<!-- end: \1 -->/g, '');
}

export interface Match {
  readonly page: string;
  readonly word: string;
}

/** Every match of the first group of `pattern`, with the page that it is from. */
export function found(pattern: RegExp, textOf: (page: string) => string = read): Match[] {
  return pages.flatMap((page) => [...textOf(page).matchAll(pattern)].map(([, word = '']) => ({ page, word })));
}

/** A fenced block: the language is the first word behind the fence, the marks are the others. */
export type Block = ReturnType<typeof blocksOf>[number];

export function blocksOf(page: string) {
  const blocks = read(page).matchAll(/^```(\S*)[ \t]*(.*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = '', marks = '', text = '']) => ({
    page,
    language,
    marks: marks.split(' ').filter((mark) => mark !== ''),
    text,
  }));
}
