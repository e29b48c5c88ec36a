import { dataTools, eventTools, tools } from '../../tools/index.ts';
import { dockerServer, dockerTools, glama } from '../package/catalogs.ts';
import { directLinks, installButtons } from '../package/install-links.ts';
import { jsonText } from '../package/json-text.ts';
import { marketplace, plugin } from '../package/plugin.ts';
import { serverJson } from '../package/server-json.ts';
import { askAll, type Exchange } from './ask.ts';
import { assumptionTables } from './assumption-table.ts';
import { dataQuestionList, dataTables } from './data-tables.ts';
import { errorTable } from './error-table.ts';
import { wholeAnswers } from './examples.ts';
import type { Parts } from './marked-parts.ts';
import { messages } from './messages.ts';
import { sandboxTable } from './sandbox-table.ts';
import { settingsTable } from './settings-table.ts';
import { toolReference, toolSections, toolTables } from './tool-tables.ts';
import { transcript } from './transcript.ts';

/** With those that only some servers list. */
const allTools = [...tools, ...eventTools];

export interface Documents {
  /** The parts that are made from the code, by the file that holds them. */
  readonly parts: Readonly<Record<string, Parts>>;
  /** Files that are made from the code as a whole. */
  readonly files: Readonly<Record<string, string>>;
}

function answersByTool(exchanges: readonly Exchange[]): Parts {
  return Object.fromEntries(exchanges.map((exchange) => [`answer of ${exchange.tool}`, transcript(exchange)]));
}

/** The short tables link to the reference, which is on the same page. */
function toolOverview(): string {
  return toolTables(allTools).replaceAll('](docs/internals/tools.md#', '](#');
}

/** Everything in the documents that is made from the code. */
export async function generatedDocuments(): Promise<Documents> {
  return {
    parts: {
      'docs/answers-and-errors.md': { errors: errorTable() },
      'docs/internals/api-assumptions.md': assumptionTables(),
      'docs/data.md': {
        'data tools': toolSections(dataTools),
        'data tables': dataTables(),
        'data questions': dataQuestionList(),
      },
      'docs/install.md': { 'install buttons': installButtons(), 'install links': directLinks() },
      'docs/sandbox.md': { 'sandbox flags': sandboxTable() },
      'docs/settings.md': { settings: settingsTable() },
      'docs/task-tools.md': answersByTool(await askAll(wholeAnswers)),
      'docs/troubleshooting.md': messages(),
      'docs/internals/tools.md': { 'tool tables': toolOverview(), tools: toolReference(allTools) },
    },
    files: {
      '.claude-plugin/marketplace.json': jsonText(marketplace),
      '.claude-plugin/plugin.json': jsonText(plugin),
      'deploy/docker-catalog/server.yaml': dockerServer,
      'deploy/docker-catalog/tools.json': dockerTools(tools),
      'glama.json': glama,
      'server.json': jsonText(serverJson),
    },
  };
}
