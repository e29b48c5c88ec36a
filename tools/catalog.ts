import type { Catalog } from '../src/mcp/catalog.ts';
import { dataTools, eventTools, journalTools, tools } from './index.ts';
import { instructionsFor } from './instructions.ts';
import { listAccounts } from './list-accounts.ts';
import { listing } from './listing.ts';
import { prompts } from './prompts.ts';
import { resources } from './resources.ts';
import { views } from './views.ts';

export const catalog: Catalog = {
  tools: [...tools, ...eventTools, ...journalTools, ...dataTools],
  prompts,
  resources,
  views,
  listAccounts,
  listing,
  instructions: instructionsFor,
};
