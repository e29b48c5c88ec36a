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
    'Changes only the given attributes of a product, at once. Its type decides which it has (projects: title, description, course_id); if one is wrong, the API refuses all and names the right ones. Returns each change as old -> new, and the product. For lessons use update_lesson.',
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
