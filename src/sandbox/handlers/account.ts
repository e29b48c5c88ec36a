import type * as z from 'zod';
import type { capabilities } from '../../contract/account.ts';
import { capabilityNames } from '../../contract/capabilities.ts';
import { eventNames } from '../../contract/events.ts';
import type { SectionHandlers } from '../handler.ts';
import { accountCurrency } from '../state/order-items.ts';

const allCapabilities = Object.fromEntries(capabilityNames.map((name) => [name, true])) as z.infer<typeof capabilities>;

export const accountHandlers: SectionHandlers<'account'> = {
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
};
