import * as z from 'zod';
import { channel, updateChannel as operation } from '../../src/contract/community.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { anyRecord, writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { changesOutput, fieldChanges, presentWriteResult, type UpdateFacts, withOldValues } from '../field-changes.ts';

export const updateChannel = defineApiTool({
  name: 'update_channel',
  toolset: 'community',
  title: 'Update a channel',
  description:
    'Locks, unlocks (locked: only admins post), closes, renames or edits a community channel: description, topic order; members see it at once. Privacy cannot be set. Returns old -> new. A new one: create_channel.',
  cost: { once: 2, 'with group_id': 1 },
  example: { id_or_slug: 'photo-critique', description: 'One photo, one question.' },
  operation,
  output: writeOutput({ ...changesOutput, channel: anyRecord, note: z.string() }),
  around: withOldValues(operation),
  present: (record, input, _titles, before: UpdateFacts) =>
    presentWriteResult({
      key: 'channel',
      schema: channel,
      record,
      verb: 'Updated',
      lookUp: 'get_channel shows it',
      facts: fieldChanges(operation, channel, input, before),
    }),
});
