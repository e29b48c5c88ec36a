import { tools } from '../../tools/index.ts';
import { assumptionTables } from './assumption-table.ts';
import { errorTable } from './error-table.ts';
import type { Parts } from './parts.ts';
import { sandboxTable } from './sandbox-table.ts';
import { settingsTable } from './settings-table.ts';
import { toolReference, toolTables } from './tool-tables.ts';
import { transcripts } from './transcript.ts';

/** The parts that are made from the code, by the file that holds them. */
export async function generatedParts(): Promise<Record<string, Parts>> {
  return {
    'README.md': {
      ...(await transcripts()),
      settings: settingsTable(),
      tools: toolTables(tools),
      errors: errorTable(),
      'sandbox flags': sandboxTable(),
    },
    'docs/api-assumptions.md': assumptionTables(),
    'docs/tools.md': { tools: toolReference(tools) },
  };
}
