import * as z from 'zod';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { presentExport } from './export-data-result.ts';
import { exportable, exportableNames } from './exportable-tools.ts';
import { exportOfQuery, exportOfTool } from './whole-results.ts';

export const exportData = defineTool({
  name: 'export_data',
  toolset: 'data',
  title: 'Export data',
  description:
    'Saves a whole result, every row, as a CSV file for a spreadsheet: of one SELECT as in query_data, or of a tool with its arguments. Returns the path or link, the number of rows and the first five.',
  cost: { requests: 0, plus: [{ requests: 1, per: 'page that a tool reads' }] },
  example: { sql: 'SELECT email, name, created_at FROM students ORDER BY id' },
  effect: 'read',
  repeat: 'safe',
  scope: 'academy:data',
  carriesUserContent: true,
  runs: 'tool',
  input: z.strictObject({
    sql: limitedText(20_000).min(1, 'must not be empty').describe('One SELECT').optional(),
    tool: z.enum(exportableNames).describe('Instead of sql').optional(),
    arguments: z.looseObject({}).describe('Of that tool; limit has no effect').optional(),
  }),
  output: z.looseObject({
    complete: z.boolean(),
    file: z.string().optional(),
    link: z.string().describe('Resource; links: all parts').optional(),
    links: z.array(z.string()).optional(),
    expires_at: z.string().optional(),
    rows: z.int(),
    first_rows: z.array(z.looseObject({})).optional(),
  }),
  check: ({ sql, tool, arguments: given }) => {
    if ((sql === undefined) === (tool === undefined)) throw refuseInput(['give either sql or tool']);
    if (given !== undefined && tool === undefined) throw refuseInput(['arguments needs tool']);
  },
  run: async ({ sql, tool, arguments: given = {} }, context) => {
    if (tool !== undefined && !context.has(tool)) {
      throw new AcademyError(
        'forbidden',
        `${tool} is not among the tools of this connection, so its result cannot be exported`,
        {
          hint: 'tools/list shows the available tools.',
        },
      );
    }
    // Before the data are read, which may take a minute.
    await context.exports.check();
    if (tool === undefined) {
      return await context.exports.inTurn(context, async (othersWait) =>
        presentExport(await exportOfQuery(sql ?? '', { ...context, othersWait }), context),
      );
    }
    return await presentExport(await exportOfTool(exportable[tool], given, context), context);
  },
});
