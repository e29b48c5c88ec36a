import type { BundleRecord, DigitalProductRecord, ProjectRecord } from '../state/catalogue.ts';
import { Records } from '../state/records.ts';
import { slugOf } from '../state/slug.ts';
import { bundleTexts } from './texts/bundles.ts';
import { digitalProductTexts, projectTexts } from './texts/products.ts';

export function seedBundles(): Records<BundleRecord> {
  return new Records(
    bundleTexts.map((text, index) => ({
      id: index + 1,
      title: text.title,
      slug: slugOf(text.title, `bundle-${index + 1}`),
      description: text.description,
      is_published: text.isDraft !== true,
      price: text.price,
      hidden: text.price === '0.00' || text.isDraft === true,
      preview_page: text.isDraft !== true,
      allow_purchase_from_landing: text.price !== '0.00' && text.isDraft !== true,
      join_button_text: 'Get the bundle',
      course_ids: text.courses,
      digital_product_ids: text.digitalProducts,
    })),
  );
}

export function seedDigitalProducts(): Records<DigitalProductRecord> {
  return new Records(
    digitalProductTexts.map((text, index) => ({
      id: index + 1,
      title: text.title,
      slug: slugOf(text.title, `download-${index + 1}`),
      description: text.description,
      is_published: !('isDraft' in text),
      price: text.price,
      hidden: false,
      product_type: 'download',
    })),
  );
}

export function seedProjects(): Records<ProjectRecord> {
  return new Records(
    projectTexts.map(([title, description, courseId], index) => ({
      id: index + 1,
      title,
      slug: slugOf(title, `project-${index + 1}`),
      description,
      course_id: courseId,
    })),
  );
}
