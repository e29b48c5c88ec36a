import { assumptions } from '../../src/cli/doctor/assumptions.ts';
import type { Assumption } from '../../src/cli/doctor/checks.ts';
import { code, table } from './markdown.ts';
import type { Parts } from './marked-parts.ts';

const columns = ['Check', 'We assume', 'The document', 'If the platform does otherwise'];

function rowOf({ id, statement, undocumented, fallback }: Assumption): string[] {
  return [code(id), statement, undocumented, fallback];
}

/** docs/internals/api-assumptions.md: what `doctor` checks, one part for each of its headings. */
export function assumptionTables(): Parts {
  const tables = Object.entries(assumptions).map(([heading, checks]) => [
    `checked: ${heading.toLowerCase()}`,
    table(columns, checks.map(rowOf)),
  ]);
  return Object.fromEntries(tables);
}
