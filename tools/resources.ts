import { eventNames } from '../src/contract/events.ts';
import type { Resource } from '../src/mcp/resources.ts';
import { channelSlugs, courseIds, productSlugs, productTypeNames } from './completion/completion-sources.ts';

export const resources: readonly Resource[] = [
  {
    uri: 'academy://account',
    name: 'account',
    title: 'The account',
    description: 'Name, address, currency, plan, features and webhook events of the academy.',
    tool: 'get_account',
  },
  {
    uri: 'academy://courses',
    name: 'courses',
    title: 'Published courses',
    description: 'Up to 500 published courses with id, title and price.',
    tool: 'list_courses',
    // A resource has no next page.
    input: { limit: 500 },
  },
  {
    uri: 'academy://courses/{course_id}/structure',
    name: 'course_structure',
    title: 'Structure of a course',
    description: 'Modules and lessons of a course in order, without lesson bodies. course_id is a whole number.',
    tool: 'get_course_structure',
    completes: { course_id: courseIds },
  },
  {
    uri: 'academy://products/{product_type}/{id_or_slug}',
    name: 'product',
    title: 'A product',
    description: 'One course, challenge, bundle (offer), digital product or project with its attributes.',
    tool: 'get_product',
    completes: { product_type: productTypeNames, id_or_slug: productSlugs },
  },
  {
    uri: 'academy://channels/{id_or_slug}',
    name: 'channel',
    title: 'A community channel',
    description: 'One channel with its description, group and offers, without its posts.',
    tool: 'get_channel',
    completes: { id_or_slug: channelSlugs },
  },
  {
    uri: 'academy://events',
    name: 'events',
    title: 'Recent events',
    description: 'New students, orders, completions, answers and project posts. Subscribe to it to hear of new ones.',
    tool: 'list_recent_events',
    changesWithEvents: true,
  },
  {
    uri: 'academy://events/{event}',
    name: 'events_of_a_kind',
    title: 'Recent events of one kind',
    description: `Such as academy://events/new_order. Subscribe to it to watch for new ones. The kinds: ${eventNames.join(', ')}.`,
    tool: 'list_recent_events',
    changesWithEvents: true,
  },
  {
    uri: 'academy://exports/{id}',
    name: 'export',
    title: 'An exported result',
    description: 'What export_data saved over HTTP, as CSV: for one hour, and for the caller who exported it.',
    tool: 'export_data',
    isExport: true,
  },
];
