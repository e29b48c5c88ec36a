import { listDefinitions } from '../src/mcp/describe-tool.ts';
import { dataTools, eventTools, journalTools, tools } from './index.ts';
import { prompts } from './prompts.ts';
import { resources } from './resources.ts';
import { views } from './views.ts';

/** What this program lists. `npm run build` stores the value in place of this file, which imports every definition. */
export const listing = listDefinitions({
  tools: [...tools, ...eventTools, ...journalTools, ...dataTools],
  prompts,
  resources,
  views,
});
