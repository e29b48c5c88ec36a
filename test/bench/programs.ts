import { fileURLToPath } from 'node:url';
import type { Launch } from './mcp-process.ts';

/** The output of `npm run build`. */
export const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** academy-mcp on stdin and stdout. */
export const academyMcp = (environment: Record<string, string>): Launch => ({ file: program, environment });

/** The minimal server on the same SDK. */
export const helloWorld = fileURLToPath(new URL('floor/hello-world.js', import.meta.url));

/** The same SDK over HTTP, as its documentation serves it. */
export const plainHttp = fileURLToPath(new URL('floor/plain-http.ts', import.meta.url));

/** Nothing listens on the discard port. Used for measurements without calls. */
export const nowhere = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'none' };
