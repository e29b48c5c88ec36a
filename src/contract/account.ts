import * as z from 'zod';
import { type Capability, capabilityNames } from './capabilities.ts';
import { defineOperation } from './operation.ts';
import { objectResponse } from './schemas/response.ts';
import { code, line } from './schemas/response-text.ts';

// API document: "Account", "Capabilities", "Endpoints / Account".

export const account = z.object({
  subdomain: code(),
  app_name: line('Name of the academy'),
  custom_domain: code().nullable(),
  currency: code('Currency code, such as USD'),
  locale: code(),
  subscription_plan: code('Decides the rate limit: 300 requests a minute on an academy plan, 60 otherwise'),
  card_processor_connected: z.boolean(),
  wallet_processor_connected: z.boolean(),
  enrollment_open: z.boolean(),
  member_list_enabled: z.boolean(),
  points_enabled: z.boolean(),
  community_enabled: z.boolean(),
});

export const capabilities = z.object(
  Object.fromEntries(capabilityNames.map((name) => [name, z.boolean()])) as Record<Capability, z.ZodBoolean>,
);

export const getAccount = defineOperation({
  id: 'account.getAccount',
  method: 'GET',
  path: '/api/v1/account',
  summary: 'The account, what the API may do on it, and the names of the webhook events.',
  effect: 'read',
  repeat: 'safe',
  capability: 'admin_api',
  response: objectResponse(z.object({ account, capabilities, webhook_events: z.array(code()) })),
});
