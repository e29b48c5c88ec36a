import { defineConfig } from 'vitest/config';

/** npm run test:ui. One file after the other: the browser and the figures share two cores. */
export default defineConfig({
  test: {
    root: 'test/ui',
    include: ['**/*.spec.ts'],
    exclude: ['node_modules/**'],
    isolate: false,
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
