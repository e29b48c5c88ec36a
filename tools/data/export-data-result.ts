import type { SavedExport } from '../../src/mcp/exports/export-sink.ts';
import { byMembersKey } from '../../src/mcp/output/fence-free-text.ts';
import { bodyWithout, counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { shownNames } from './query-rows.ts';
import type { WholeExport } from './whole-results.ts';

function placeText(saved: SavedExport): string {
  if ('file' in saved) return `in ${saved.file}`;
  const [first, ...others] = saved.links;
  const parts = others.length === 0 ? '' : ` and ${counted(others.length, 'further part')} (links)`;
  return `as the resource ${first}${parts}, until ${saved.expires_at}`;
}

/** The rows that were not saved; undefined if all were. */
function missingRows(saved: SavedExport, rows: number): string | undefined {
  if ('file' in saved || saved.rows >= rows) return undefined;
  return `rows ${saved.rows + 1} to ${rows} of ${rows} are not saved: ${saved.why}`;
}

function placeFacts(saved: SavedExport) {
  if ('file' in saved) return saved;
  const { links, expires_at } = saved;
  return { link: links[0], ...(links.length > 1 ? { links } : {}), expires_at };
}

/** Saves the export, and says where it is and what is in it. */
export async function presentExport(whole: WholeExport, { exports, caller, account }: ToolContext): Promise<Presented> {
  const { name, csv, columns, rows, isComplete: isRead, summary, coverage, firstRows, byMembers } = whole;
  const fileName = [account, name, isRead ? undefined : 'incomplete'].filter(Boolean).join('-');
  const saved = await exports.save({ name: fileName, csv }, { caller, account });
  const missing = missingRows(saved, rows);
  const isComplete = isRead && missing === undefined;
  const size = `${counted('rows' in saved ? saved.rows : rows, 'row')} and ${counted(columns.length, 'column')}`;
  // An incomplete result begins with that word already.
  const words = missing === undefined ? summary : `${isRead ? 'Incomplete: ' : ''}${missing}. ${summary}`;
  return {
    summary: `${words} Exported: ${size}, ${placeText(saved)}.`,
    data: {
      complete: isComplete,
      ...placeFacts(saved),
      rows: 'rows' in saved ? saved.rows : rows,
      ...(missing === undefined ? {} : { missing }),
      columns: shownNames(columns),
      ...(coverage === undefined ? {} : { coverage }),
      ...(firstRows.length === 0 ? {} : { first_rows: firstRows }),
      ...(byMembers.length === 0 ? {} : { [byMembersKey]: byMembers }),
    },
    body: bodyWithout('complete', 'file', 'link', 'expires_at', 'rows', 'coverage', 'missing'),
    uncut: ['file', 'link', 'links'],
  };
}
