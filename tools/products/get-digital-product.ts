import * as digitalProducts from '../../src/contract/digital-products.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentRecord } from '../record-result.ts';

export const getDigitalProduct = defineApiTool({
  name: 'get_digital_product',
  toolset: 'products',
  title: 'Get a digital product',
  description:
    'Shows one digital product (download, pdf, ebook): description, price, file, cover. All settings: get_product.',
  example: { digital_product_id: 1 },
  operation: digitalProducts.getDigitalProduct,
  output: recordOutput(digitalProducts.digitalProduct.shape),
  present: (record) => presentRecord('Digital product', digitalProducts.digitalProduct, record),
});
