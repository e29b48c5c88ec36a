import { fileURLToPath } from 'node:url';

/** The output of `npm run build`, which `bin` names. `npm test` builds it first. */
export const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
