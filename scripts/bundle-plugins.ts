import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { listing } from '../tools/listing.ts';

/** Stores what the definitions list, so that a start neither loads nor converts them. JSON is parsed faster than code. */
export const storedListing: Plugin = {
  name: 'stored-listing',
  setup: ({ onLoad }) => {
    const text = JSON.stringify(JSON.stringify(listing));
    const contents = `export const listing = JSON.parse(${text});`;
    onLoad({ filter: /[\\/]tools[\\/]listing\.ts$/ }, () => ({ contents }));
  },
};

/**
 * Leaves out the default validator of the SDK's server, which takes 15 ms to load: `src/protocol/legacy/server.ts` passes
 * one that loads it later. The SDK's client keeps its own.
 */
export const noDefaultValidator: Plugin = {
  name: 'no-default-validator',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'no-default-validator';
    const server = /[\\/]sdk[\\/]dist[\\/]esm[\\/]server[\\/]index\.js$/;
    onResolve({ filter: /\/validation\/ajv-provider\.js$/ }, ({ importer }) =>
      server.test(importer) ? { path: namespace, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, () => ({ contents: 'export class AjvJsonSchemaValidator {}' }));
  },
};

/**
 * Makes each of these files import `start`, which is loaded before them anyway. Otherwise esbuild splits `start` into
 * dozens of chunks, one for each combination of files that need the same part of it; and each takes half a millisecond.
 */
export function oneChunk(start: string, files: readonly string[]): Plugin {
  const paths = new Set(files.map((file) => resolve(file)));
  return {
    name: 'one-chunk',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!paths.has(path)) return undefined;
        const code = await readFile(path, 'utf8');
        return { contents: `${code}\nimport ${JSON.stringify(resolve(start))};\n`, loader: 'ts' };
      });
    },
  };
}
