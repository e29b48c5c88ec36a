import * as z from 'zod';
import { definePrompt } from '../../src/mcp/prompt.ts';
import { periods, productTitles } from '../completion/sources.ts';
import { periodArgument, shortText } from './prompt-arguments.ts';

export const whoBought = definePrompt({
  name: 'who_bought',
  title: 'Who bought a product',
  description: 'Lists the buyers of a product in a period, with the sums.',
  needs: ['find_buyers'],
  input: z.strictObject({
    product: shortText().describe('Title, slug or id of the product'),
    period: periodArgument.describe('When it was bought; last_30_days when left empty'),
  }),
  completes: { product: productTitles, period: periods },
  write: ({ product, period = '"last_30_days"' }) =>
    [
      `Find out who bought the product ${product} in the period ${period}.`,
      '',
      `1. Call find_buyers with product ${product} and period ${period}.`,
      '2. If more than one product fits the name, show me the candidates and ask which I mean.',
      '3. While the answer has a next_cursor, call find_buyers again with the same arguments and that cursor.',
      '',
      'Then report: how many people bought it, the sum for each currency apart, and a table of name, email, date and amount, newest first. Say which days and time zone the answer covers. Access that an admin gave is no purchase: name it apart. If something could not be read, say so rather than guess.',
    ].join('\n'),
});
