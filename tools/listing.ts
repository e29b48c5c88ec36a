import { listDefinitions } from '../src/mcp/describe-tool.ts';
import { definitions } from './index.ts';

/** What this program lists. `npm run build` stores the value in place of this file, which imports every definition. */
export const listing = listDefinitions(definitions);
