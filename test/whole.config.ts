import { defineConfig } from 'vitest/config';
import { redis, resolve, shared } from '../vitest.config.ts';

/** All projects as one, for `npm test`: a worker imports the program once, not once for each project. */
export default defineConfig({
  resolve,
  test: { ...shared, include: ['test/**/*.test.ts'], exclude: ['**/node_modules/**', '**/*.long.test.ts', ...redis] },
});
