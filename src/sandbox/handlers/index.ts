import type * as z from 'zod';
import type { capabilities } from '../../contract/account.ts';
import { capabilityNames } from '../../contract/capabilities.ts';
import { eventNames } from '../../contract/events.ts';
import type { AnyOperation } from '../../contract/index.ts';
import type { Handlers } from '../handler.ts';
import type { Academy } from '../state/academy.ts';
import { accountCurrency } from '../state/orders.ts';
import { accessHandlers } from './access.ts';
import { communityHandlers } from './community.ts';
import { coursesHandlers } from './courses.ts';
import { ordersHandlers } from './orders.ts';
import { productsHandlers } from './products.ts';
import { studentsHandlers } from './students.ts';

const allCapabilities = Object.fromEntries(capabilityNames.map((name) => [name, true])) as z.infer<typeof capabilities>;

export const handlers: Handlers = {
  'account.getAccount': (_input, { settings, appName }) => ({
    account: {
      subdomain: settings.subdomain,
      app_name: appName,
      custom_domain: `learn.${settings.subdomain}.example.com`,
      currency: accountCurrency,
      locale: 'en',
      subscription_plan: settings.plan,
      card_processor_connected: true,
      wallet_processor_connected: true,
      enrollment_open: true,
      member_list_enabled: true,
      points_enabled: true,
      community_enabled: true,
    },
    capabilities: { ...allCapabilities },
    webhook_events: [...eventNames],
  }),
  ...coursesHandlers,
  ...productsHandlers,
  ...communityHandlers,
  ...ordersHandlers,
  ...studentsHandlers,
  ...accessHandlers,
};

/**
 * Runs the handler of an operation on validated input. The cast: TypeScript cannot see that the handler of an id takes
 * the input of the same id.
 */
export function callHandler(operation: AnyOperation, input: unknown, academy: Academy): unknown {
  const handler = handlers[operation.id] as (input: unknown, academy: Academy) => unknown;
  return handler(input, academy);
}
