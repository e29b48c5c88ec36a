import * as z from 'zod';
import { channel, createChannel as operation } from '../../src/contract/community.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { anyRecord, writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentWritten } from '../written.ts';

export const createChannel = defineApiTool({
  name: 'create_channel',
  toolset: 'community',
  title: 'Create a channel',
  description:
    'Adds a channel. Privacy follows from paid offers and cannot be set. Where one of this name is there already, it is shown instead. No tool deletes one. To change a channel use update_channel. Two requests, and one with group_id.',
  operation,
  output: writeOutput({ channel: anyRecord, note: z.string() }),
  present: (record) =>
    presentWritten({
      key: 'channel',
      schema: channel,
      record,
      verb: 'Created',
      lookUp: 'search_channels with its name shows its id',
    }),
});
