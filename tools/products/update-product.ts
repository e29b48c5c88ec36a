import * as z from 'zod';
import { updateProduct as operation, product, productAttributes } from '../../src/contract/products.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { anyRecord, writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { changesOutput, fieldChanges, type UpdateFacts, withOldValues } from '../field-changes.ts';
import { presentWriteResult } from '../write-result.ts';

export const updateProduct = defineApiTool({
  name: 'update_product',
  toolset: 'products',
  title: 'Update a product',
  description:
    'Changes given settings of a product at once: price, title, publish or unpublish, hide and others. get_product shows which ones its type has; one wrong field refuses all. Returns old -> new. For lessons use update_lesson.',
  cost: { requests: 2, plus: [{ requests: 1, when: 'with course_id' }] },
  example: { product_type: 'course', id_or_slug: '5', price: '89.00' },
  operation,
  output: writeOutput({ ...changesOutput, product: anyRecord, note: z.string() }),
  around: withOldValues(operation),
  present: (record, input, _titles, before: UpdateFacts) =>
    presentWriteResult({
      key: 'product',
      schema: product,
      record,
      verb: 'Updated',
      lookUp: 'get_product shows it',
      facts: fieldChanges(operation, productAttributes, input, before),
    }),
});
