import { createHash } from 'node:crypto';
import { build } from 'esbuild';

// Threads of the mirror run the same code as from source, bundled once for a run: each would load TypeScript anew otherwise,
// which takes longer than SQLite.

// Checkouts may share their packages by a link.
const checkout = createHash('sha256')
  .update(import.meta.url)
  .digest('hex')
  .slice(0, 8);
const bundle = new URL(`../../node_modules/.cache/academy-mcp/mirror-worker-${checkout}.mjs`, import.meta.url);

/** In place of the function of `src/mirror/engine/worker-file.ts`; see vitest.config.ts. */
export const workerFile = () => ({ file: bundle, execArgv: [] });

/** Runs before all tests. */
export async function setup(): Promise<void> {
  await build({
    entryPoints: [new URL('../../src/mirror/engine/worker.ts', import.meta.url).pathname],
    outfile: bundle.pathname,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
}
