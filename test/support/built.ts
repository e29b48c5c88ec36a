import { fileURLToPath } from 'node:url';

/** The file that `npm run build` makes and `bin` names. `npm test` builds it first. */
export const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
