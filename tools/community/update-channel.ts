import * as z from 'zod';
import { channel, updateChannel as operation } from '../../src/contract/community.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { anyRecord, writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { changedFields, presentWriteResult } from '../write-result.ts';

export const updateChannel = defineApiTool({
  name: 'update_channel',
  toolset: 'community',
  title: 'Update a channel',
  description:
    'Changes only the given fields of a community channel; members see it at once. Privacy cannot be set. No undo: first read the old values with get_channel. For a new channel use create_channel. Returns the changed fields and the channel.',
  cost: { requests: 1, plus: [{ requests: 1, when: 'with group_id' }] },
  example: { id_or_slug: 'photo-critique', description: 'One photo, one question.' },
  operation,
  output: writeOutput({ changed: z.array(z.string()), channel: anyRecord, note: z.string() }),
  present: (record, input) =>
    presentWriteResult({
      key: 'channel',
      schema: channel,
      record,
      verb: 'Updated',
      lookUp: 'get_channel shows it',
      facts: { changed: changedFields(operation, input) },
    }),
});
