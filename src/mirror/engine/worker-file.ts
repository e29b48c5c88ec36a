import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Lets a thread load TypeScript: `--import tsx` alone has no effect in one. */
function loadTypeScript(): string[] {
  const tsx = new URL('./esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx')));
  return ['--import', `data:text/javascript,import{register}from${JSON.stringify(tsx.href)};register()`];
}

/** The code of a thread. In the bundle, it is a file beside this one. Tests bundle it once: see test/support/worker-file.ts. */
export function workerFile(): { readonly file: URL; readonly execArgv: string[] } {
  const isSource = import.meta.url.endsWith('.ts');
  return isSource
    ? { file: new URL('./worker.ts', import.meta.url), execArgv: loadTypeScript() }
    : { file: new URL('./mirror-worker.js', import.meta.url), execArgv: [] };
}
