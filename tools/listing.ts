import { listDefinitions } from '../src/mcp/list-definitions.ts';
import type { Listing } from '../src/mcp/listing.ts';
import { dataTools, eventTools, journalTools, tools } from './index.ts';
import { prompts } from './prompts.ts';
import { resources } from './resources.ts';
import { views } from './views.ts';

/** What this program lists. `npm run build` stores the value in place of this file, which imports every definition. */
export const listing: Listing = listDefinitions({
  tools: [...tools, ...eventTools, ...journalTools, ...dataTools],
  prompts,
  resources,
  views,
});
