import type { SectionHandlers } from '../handler.ts';
import { coverUrl } from '../views/cover-url.ts';
import { requireBundle } from './helpers/require-record.ts';

export const bundlesHandlers: SectionHandlers<'bundles'> = {
  'bundles.listBundles': (_input, { catalogue }) => ({
    bundles: catalogue.bundles.all().map(({ id, title }) => ({ id, title })),
  }),

  'bundles.getBundle': ({ bundle_id }, academy) => {
    const bundle = requireBundle(academy, bundle_id);
    return {
      id: bundle.id,
      title: bundle.title,
      description: bundle.description,
      slug: bundle.slug,
      is_published: bundle.is_published,
      cover_image_thumbnail_url: coverUrl('bundles', bundle.slug, 'thumbnail'),
      product_count: bundle.course_ids.length + bundle.digital_product_ids.length,
    };
  },
};
