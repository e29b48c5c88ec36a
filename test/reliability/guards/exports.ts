import type { Guard } from './guard.ts';

const files = ['test/tools/export-data.test.ts'];
const links = ['test/tools/export-links.test.ts'];
const folder = 'src/mcp/exports/export-folder.ts';

/** Whole results leave the program only for those who may have them, and harm neither files nor spreadsheets. */
export const exportGuards: readonly Guard[] = [
  {
    name: 'query_data needs a scope of its own',
    file: 'tools/data/query-data.ts',
    text: "  scope: 'academy:data',\n",
    instead: '',
    tests: links,
    only: 'a token without academy:data',
  },
  {
    name: 'export_data needs a scope of its own',
    file: 'tools/data/export-data.ts',
    text: "  scope: 'academy:data',\n",
    instead: '',
    tests: links,
    only: 'a token without academy:data',
  },
  {
    name: 'an export over HTTP belongs to its caller',
    file: 'src/mcp/exports/export-links.ts',
    text: 'JSON.stringify([academy, id, caller])',
    instead: 'JSON.stringify([academy, id])',
    tests: links,
    only: 'over HTTP an export is a resource',
  },
  {
    name: 'an export over HTTP is gone after an hour',
    file: 'src/mcp/exports/export-links.ts',
    text: 'ttlMs: hourMs }',
    instead: 'ttlMs: 24 * hourMs }',
    tests: links,
    only: 'can be read for an hour',
  },
  {
    name: 'reading an export counts as reading text of members',
    file: 'src/mcp/exports/read-export.ts',
    text: '  conversation.hasUserContent = true;\n',
    instead: '',
    tests: links,
    only: 'under lockdown an export',
  },
  {
    name: 'an export never opens a file that exists',
    file: folder,
    text: ' | constants.O_EXCL',
    instead: '',
    tests: files,
    only: 'never writes over a file',
  },
  {
    name: 'only its owner can read an exported file',
    file: folder,
    text: 'const ownerOnly = 0o600;',
    instead: 'const ownerOnly = 0o644;',
    tests: files,
    only: 'a file is new',
  },
  {
    name: 'the folder of exports is not a link',
    file: folder,
    text: 'if (stats?.isSymbolicLink())',
    instead: 'if (false)',
    tests: files,
    only: 'without a folder that exists',
  },
  {
    name: 'the name of an export says that something is missing',
    file: 'tools/data/export-data-result.ts',
    text: "isComplete ? undefined : 'incomplete'",
    instead: 'undefined',
    tests: ['test/tools/export-tools.test.ts'],
    only: 'an incomplete result says so first',
  },
  {
    name: 'a text in a CSV is never run as a formula',
    file: 'src/shared/csv.ts',
    text: 'withoutFormula(cleanText(cell))',
    instead: 'cleanText(cell)',
    tests: ['test/shared/csv.test.ts'],
  },
];
