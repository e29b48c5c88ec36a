import * as z from 'zod';
import { channel, createChannel as operation } from '../../src/contract/community.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { anyRecord, writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentWriteResult } from '../field-changes.ts';

export const createChannel = defineApiTool({
  name: 'create_channel',
  toolset: 'community',
  title: 'Create a channel',
  description:
    'Creates (opens, sets up, starts) a new channel (discussion room, space) in a group of the community (forum). Paid offers decide its privacy. If the name exists, shows that channel, adds none. No tool deletes channels. Change one: update_channel.',
  cost: { once: 2, 'with group_id': 1 },
  example: { name: 'Night photography', description: 'Stars, streets, long exposures.', group_id: 3 },
  operation,
  output: writeOutput({ channel: anyRecord, note: z.string() }),
  present: (record) =>
    presentWriteResult({
      key: 'channel',
      schema: channel,
      record,
      verb: 'Created',
      lookUp: 'search_channels with its name shows its id',
    }),
});
