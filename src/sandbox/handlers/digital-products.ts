import { notFound } from '../error-response.ts';
import type { SectionHandlers } from '../handler.ts';
import type { DigitalProductRecord } from '../state/catalogue.ts';
import { coverUrl } from '../views/cover-url.ts';

export const digitalProductsHandlers: SectionHandlers<'digital_products'> = {
  'digital_products.listDigitalProducts': (_input, { catalogue }) => ({
    digital_products: catalogue.digitalProducts.all().map(item),
  }),

  'digital_products.getDigitalProduct': ({ digital_product_id }, { catalogue }) => {
    const record = catalogue.digitalProducts.get(digital_product_id);
    if (record === undefined) throw notFound('Digital product');
    return { ...item(record), product_type: record.product_type, slug: record.slug };
  },
};

function item(record: DigitalProductRecord) {
  const { id, title, description, price, is_published, slug } = record;
  return { id, title, description, price, is_published, cover_image_url: coverUrl('digital-products', slug, 'large') };
}
