import { fileURLToPath } from 'node:url';

/** What `npm run build` makes. */
export const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The least that a server on the same SDK is. */
export const helloWorld = fileURLToPath(new URL('floor/hello-world.js', import.meta.url));

/** The same SDK over HTTP, as its documentation serves it. */
export const plainHttp = fileURLToPath(new URL('floor/plain-http.ts', import.meta.url));

/** Nothing listens on the discard port. For measurements that make no call. */
export const nowhere = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'none' };
