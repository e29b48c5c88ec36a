import * as z from 'zod';
import { updateProduct as operation, product } from '../../src/contract/products.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { anyRecord, writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { changedFields, presentWritten } from '../written.ts';

export const updateProduct = defineApiTool({
  name: 'update_product',
  toolset: 'products',
  title: 'Update a product',
  description:
    'Changes the given attributes of a product and no others, at once. Which ones it has depends on its type (projects: title, description, course_id); for others the API refuses all and names the right ones. No undo: read the old values with get_product first. For lessons use update_lesson. Returns the changed fields and the product. One request, and one with course_id.',
  operation,
  output: writeOutput({ changed: z.array(z.string()), product: anyRecord, note: z.string() }),
  present: (record, input) =>
    presentWritten({
      key: 'product',
      schema: product,
      record,
      verb: 'Updated',
      lookUp: 'get_product shows it',
      facts: { changed: changedFields(operation, input) },
    }),
});
