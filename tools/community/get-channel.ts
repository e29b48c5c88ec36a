import * as community from '../../src/contract/community.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentRecord } from '../record-result.ts';

// No schema for group and offers: the API document does not show their shapes.
const { group: _group, offers: _offers, ...fields } = community.channel.shape;

export const getChannel = defineApiTool({
  name: 'get_channel',
  toolset: 'community',
  title: 'Get a channel',
  description:
    'Shows one community channel (room) and its settings: description, group, topics, locked or private (who may post), paid offers. Its posts: search_posts.',
  example: { id_or_slug: 'photo-critique' },
  operation: community.getChannel,
  output: recordOutput(fields),
  present: (channel) => presentRecord('Channel', community.channel, channel),
});
