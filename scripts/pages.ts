import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

/** The views of MCP Apps: `apps/<name>/main.ts` becomes one page without other files. */
export const pageNames = ['buyers', 'sales', 'outline'] as const;

export type PageName = (typeof pageNames)[number];

/** 80 KB: a client loads a page before it shows anything. */
export const maxPageBytes = 80 * 1024;

const titles: Record<PageName, string> = { buyers: 'Buyers', sales: 'Sales', outline: 'Outline of a course' };

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** No request leaves the page, no other script runs in it, and no text becomes markup. */
function policyOf(script: string, style: string, more: readonly string[]): string {
  return [
    "default-src 'none'",
    ...more,
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

async function minified(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome120', 'safari17', 'firefox120'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  // The end of a script element in a text of the program would end the element.
  return (outputFiles[0]?.text ?? '').trim().replaceAll('</', '<\\/');
}

/** A page of one script and one style. Throws if it is too large. */
export function pageOf(title: string, script: string, style: string, more: readonly string[] = []): string {
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(script, style, more)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${style}</style></head>`,
    `<body><main id="view"></main><script>${script}</script></body></html>\n`,
  ].join('');
  const bytes = Buffer.byteLength(html);
  if (bytes > maxPageBytes) {
    throw new Error(`the page ${title} has ${bytes} bytes; at most ${maxPageBytes} are allowed`);
  }
  return html;
}

/** One page as a client receives it. */
export async function buildPage(name: PageName): Promise<string> {
  const [script, style] = await Promise.all([minified(`apps/${name}/main.ts`), minified('apps/shared/style.css')]);
  return pageOf(titles[name], script, style);
}

/** The page of `academy-mcp demo --open`, which frames the views and calls the demo. */
async function buildDemoPage(): Promise<string> {
  const [script, style] = await Promise.all([minified('apps/host/main.ts'), minified('apps/host/style.css')]);
  return pageOf('academy-mcp demo', script, style, ["connect-src 'self'", "frame-src 'self'"]);
}

/** Writes every page into `folder`. */
export async function buildPages(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of pageNames) await writeFile(`${folder}/${name}.html`, await buildPage(name));
  await writeFile(`${folder}/host.html`, await buildDemoPage());
}
