import { getProduct as operation, product, productAttributes } from '../../src/contract/products.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentRecord } from '../record-result.ts';

export const getProduct = defineApiTool({
  name: 'get_product',
  toolset: 'products',
  title: 'Get a product',
  description:
    'Shows one product of any type with the settings that its type has and update_product can change, such as price, launch date, days of access. Texts in truncated_attributes are cut at 4,000 characters: do not write them back. For a lesson count use get_course.',
  cost: { requests: 1 },
  example: { product_type: 'course', id_or_slug: '5' },
  operation,
  output: recordOutput({ ...product.shape, attributes: recordOutput(productAttributes.shape) }),
  present: (record) => presentRecord('Product', product, record),
});
