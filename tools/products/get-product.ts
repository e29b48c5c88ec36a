import { undefinedIfNotFound } from '../../src/api/partial-failure.ts';
import { getProduct as operation, type ProductType, product, productAttributes } from '../../src/contract/products.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { presentRecord } from '../record-result.ts';

const twins: Partial<Record<ProductType, ProductType>> = { course: 'challenge', challenge: 'course' };

export const getProduct = defineApiTool({
  name: 'get_product',
  toolset: 'products',
  title: 'Get a product',
  description:
    'Shows how any product is set up, by type and id or slug: price, public or hidden, days of access, button, description: the settings of update_product. Texts in truncated_attributes are cut at 4,000 characters: do not write them back. Lesson count: get_course.',
  // Reports and orders call a challenge a course.
  cost: { once: 1, 'for a course or challenge not found': 1 },
  example: { product_type: 'course', id_or_slug: '5' },
  operation,
  around: async (input, _context, send) => {
    const product_type = twins[input.product_type];
    try {
      return [await send(), {}];
    } catch (error) {
      const isMissing = error instanceof AcademyError && error.code === 'not_found';
      if (product_type === undefined || !isMissing) throw error;
      const found = await undefinedIfNotFound(send({ ...input, product_type }));
      if (found === undefined) throw error;
      return [found, {}];
    }
  },
  output: recordOutput({ ...product.shape, attributes: recordOutput(productAttributes.shape) }),
  present: (record) => presentRecord('Product', product, record),
});
