import * as z from 'zod';
import { defineOperation } from './operation.ts';
import { bundleId } from './schemas/input-fields.ts';
import { bareRecord, listOf } from './schemas/response.ts';
import { block, code, line } from './schemas/response-text.ts';

// API document: "Bundle (offer)", "Endpoints / Bundles".

const bundleItem = z.object({ id: z.int(), title: line('Bundle title') });

export const bundle = z.object({
  id: z.int(),
  title: line('Bundle title'),
  description: block('Bundle description'),
  slug: code(),
  is_published: z.boolean(),
  cover_image_thumbnail_url: code(),
  product_count: z.int(),
});

export const listBundles = defineOperation({
  id: 'bundles.listBundles',
  method: 'GET',
  path: '/api/v1/bundles',
  summary: 'All bundles (also called offers).',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_bundles',
  response: listOf('bundles', bundleItem),
});

export const getBundle = defineOperation({
  id: 'bundles.getBundle',
  method: 'GET',
  path: '/api/v1/bundles/:bundle_id',
  summary: 'One bundle.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_bundles',
  params: { bundle_id: bundleId },
  response: bareRecord('bundle', bundle),
});
