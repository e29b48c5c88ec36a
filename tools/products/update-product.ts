import * as z from 'zod';
import { updateProduct as operation, product, productAttributes } from '../../src/contract/products.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { anyRecord, writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { changesOutput, fieldChanges, presentWriteResult, type UpdateFacts, withOldValues } from '../field-changes.ts';

/** A price that changes by more than this factor is more often a slip of the keyboard than a sale. */
const largestFactor = 3;

const isPrice = (value: unknown): value is string | number =>
  (typeof value === 'string' || typeof value === 'number') && /^\d+(\.\d+)?$/.test(String(value));

/** The words about a price that became 0, or changed by a large factor, and about one whose old value is no amount. */
function priceWarning(old: unknown, price: unknown): string | undefined {
  if (!isPrice(price)) return undefined;
  const now = Number(price);
  if (!isPrice(old))
    return `Warning: the price is now ${price}; the old one could not be read. Make sure that this is meant.`;
  const before = Number(old);
  if (before === now) return undefined;
  const isLarge = before === 0 || now === 0 || now > before * largestFactor || before > now * largestFactor;
  return isLarge ? `Warning: the price changed from ${old} to ${price}. Make sure that this is meant.` : undefined;
}

export const updateProduct = defineApiTool({
  name: 'update_product',
  toolset: 'products',
  title: 'Update a product',
  description:
    'Sets (changes, lowers) the price of a course or other product at once, edits its description, title (renames), launch date; publishes it, takes it off sale (unpublish, hide). get_product shows which ones its type has; one wrong field refuses all. Returns old -> new. Lessons: update_lesson.',
  cost: { once: 2, 'with course_id': 1 },
  example: { product_type: 'course', id_or_slug: '5', price: '89.00' },
  operation,
  output: writeOutput({ ...changesOutput, product: anyRecord, unchanged: z.array(z.string()), note: z.string() }),
  around: async (input, context, send) => {
    const { product_type: type } = input;
    return await withOldValues(operation)(input, context, send).catch((error: unknown) => {
      const isTwin = type === 'course' || type === 'challenge';
      if (!isTwin || !(error instanceof AcademyError) || error.code !== 'not_found') throw error;
      const other = type === 'course' ? 'challenge' : 'course';
      const hint = `Try product_type ${other}: orders and reports call a challenge a course. search_products shows the type.`;
      throw new AcademyError('not_found', error.message, { hint, outcome: error.outcome, cause: error });
    });
  },
  present: (record, input, _titles, before: UpdateFacts) => {
    // The page of a product is long: a change of the price does not repeat it.
    const isLeftOut = input.description === undefined && Boolean(record.attributes?.description);
    const answer = presentWriteResult({
      key: 'product',
      schema: product,
      record: isLeftOut ? { ...record, attributes: { ...record.attributes, description: undefined } } : record,
      verb: 'Updated',
      lookUp: 'get_product shows it',
      facts: {
        ...fieldChanges(operation, productAttributes, input, before),
        ...(isLeftOut ? { unchanged: ['description'] } : {}),
      },
    });
    const old = before.old?.values.price;
    // An API that left the price as it was has not changed it.
    const isLeft = old !== undefined && record.attributes?.price === old;
    const warning = isLeft ? undefined : priceWarning(old, input.price);
    if (warning === undefined) return answer;
    return { ...answer, summary: `${warning} ${answer.summary}`, data: { ...answer.data, warning } };
  },
});
