import * as z from 'zod';
import { definePrompt } from '../../src/mcp/prompt.ts';
import { productTitles } from '../completion/completion-sources.ts';
import { shortText } from './prompt-arguments.ts';

/** Each order once: `sales` has a row for each of its products. */
const orders =
  'WITH bought AS (SELECT email_key, order_id, min(month) AS month, min(created_at) AS at FROM sales WHERE email_key IS NOT NULL GROUP BY order_id), first AS (SELECT email_key, min(month) AS cohort, min(at) AS since FROM bought GROUP BY email_key)';

const buyersSql = `${orders} SELECT cohort, count(DISTINCT email_key) AS buyers, count(DISTINCT CASE WHEN at > since THEN email_key END) AS bought_again, count(DISTINCT CASE WHEN at > since AND julianday(at) - julianday(since) <= 90 THEN email_key END) AS within_90_days FROM bought JOIN first USING (email_key) GROUP BY cohort ORDER BY cohort`;

const revenueSql = `${orders} SELECT cohort, currency, decimal_sum(amount) AS revenue, count(*) AS orders FROM bought JOIN first USING (email_key) JOIN orders ON orders.id = order_id GROUP BY cohort, currency ORDER BY cohort`;

export const cohortReport = definePrompt({
  name: 'cohort_report',
  title: 'Report on cohorts of buyers',
  description: 'Groups the buyers by the month of their first purchase: how many came back, and what they brought in.',
  needs: ['describe_data', 'query_data'],
  input: z.strictObject({
    product: shortText().optional().describe('Only buyers whose first purchase was this product; default: any'),
  }),
  completes: { product: productTitles },
  write: ({ product }) =>
    [
      'Report on the cohorts of buyers: those who first bought in the same month. Read only; change nothing.',
      '',
      '1. Call describe_data. If orders are not complete from the beginning, the first purchases of older buyers are missing: tell me from when the cohorts are right.',
      '2. Call query_data with this statement:',
      `   ${buyersSql}`,
      '3. Call query_data with this one:',
      `   ${revenueSql}`,
      ...(product === undefined
        ? []
        : [
            `4. I only mean buyers whose first purchase was the product ${product}. Find its kind and product_id in the table products; if none or several fit, ask me. Narrow first to those whose first order lists it, and run both statements again.`,
          ]),
      '',
      'Then report: a table of the cohorts with buyers, the share who bought again, the share who did so within 90 days, and revenue by currency. Name the best and the weakest cohort. Younger cohorts have had less time: say so. Never add up amounts of different currencies. State what the data cover and as of when.',
    ].join('\n'),
});
