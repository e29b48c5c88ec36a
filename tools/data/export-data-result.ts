import type { SavedExport } from '../../src/mcp/exports/export-sink.ts';
import { bodyWithout, counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { WholeExport } from './whole-results.ts';

function placeText(saved: SavedExport): string {
  return 'file' in saved ? `in ${saved.file}` : `as the resource ${saved.link}, until ${saved.expires_at}`;
}

/** Longest name of a column. */
const maxName = 60;

/** Saves the export, and says where it is and what is in it. */
export async function presentExport(whole: WholeExport, { exports, caller, account }: ToolContext): Promise<Presented> {
  const { name, csv, columns, rows, isComplete, summary, coverage, firstRows } = whole;
  const fileName = [account, name, isComplete ? undefined : 'incomplete'].filter(Boolean).join('-');
  const saved = await exports.save({ name: fileName, csv }, { caller, account });
  const size = `${counted(rows, 'row')} and ${counted(columns.length, 'column')}`;
  return {
    summary: `${summary} Exported: ${size}, ${placeText(saved)}.`,
    data: {
      complete: isComplete,
      ...saved,
      rows,
      columns: columns.map((column) => oneLine(column, maxName)),
      ...(coverage === undefined ? {} : { coverage }),
      ...(firstRows.length === 0 ? {} : { first_rows: firstRows }),
    },
    body: bodyWithout('complete', 'file', 'link', 'expires_at', 'rows', 'coverage'),
    uncut: ['file', 'link'],
  };
}
