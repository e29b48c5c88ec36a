import type { Catalog } from '../src/mcp/catalog.ts';
import { definitions } from './index.ts';
import { instructionsFor } from './instructions.ts';
import { listAccounts } from './list-accounts.ts';
import { listing } from './listing.ts';

export const catalog: Catalog = { ...definitions, listAccounts, listing, instructions: instructionsFor };
