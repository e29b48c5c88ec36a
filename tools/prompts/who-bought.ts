import * as z from 'zod';
import { definePrompt } from '../../src/mcp/prompt.ts';
import { periods, productTitles } from '../completion/completion-sources.ts';
import { periodArgument, shortText } from './prompt-arguments.ts';

export const whoBought = definePrompt({
  name: 'who_bought',
  title: 'Who bought a product',
  description: 'Lists the buyers of a product in a period, with totals.',
  needs: ['find_buyers'],
  input: z.strictObject({
    product: shortText().describe('Title, slug or id of the product'),
    period: periodArgument.describe('When it was bought; default: last_30_days'),
  }),
  completes: { product: productTitles, period: periods },
  write: ({ product, period = '"last_30_days"' }) =>
    [
      `Find out who bought the product ${product} in the period ${period}.`,
      '',
      `1. Call find_buyers with product ${product} and period ${period}.`,
      '2. If several products fit, show them to me and ask which one I mean.',
      '3. While the answer has a next_cursor, call find_buyers again with the same arguments and that cursor.',
      '',
      'Then report: the number of buyers, the total for each currency, and a table of name, email, date and amount, newest first. State the days and the time zone of the answer. List orders of amount 0 (granted, free or a coupon) separately. If something could not be read, say so; do not guess.',
    ].join('\n'),
});
