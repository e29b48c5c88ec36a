import { readFile } from 'node:fs/promises';

/** The text of a file of the project, for facts that no behaviour shows. */
export function readSource(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Whether `npm run mutation` runs the tests over a changed copy, whose sources read differently. */
export const isMutated = process.env.MUTATION_AREA !== undefined;
