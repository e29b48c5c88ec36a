import { expect, test } from 'vitest';
import * as z from 'zod';
import { parseRetryAfter } from '../../src/api/http/attempt-result.ts';
import { compareValues, textContentOf } from '../../src/api/writes/judge-answer.ts';
import { parseDecimal } from '../../src/contract/schemas/decimal.ts';
import * as fields from '../../src/contract/schemas/input-fields.ts';
import { memberBlock } from '../../src/contract/schemas/response-text.ts';
import { isTimeZone } from '../../src/insights/period.ts';
import { buyerKey } from '../../src/insights/sales/sold-order.ts';
import { createRedactor } from '../../src/mcp/output/redact.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { createAuthentication } from '../../src/server/http/auth/authentication.ts';
import { cleanText, composed, cutAt, cutToBytes, oneLine, quotable } from '../../src/shared/clean-text.ts';
import { createLogger, withoutEmails } from '../../src/shared/logger.ts';
import { exactMatches } from '../../src/workflows/find-product.ts';
import { adversarialTexts, cheapest } from '../support/adversarial.ts';

const log = createLogger('trace', ['s3cret-s3cret'], { write: () => true });
const authentication = createAuthentication({
  tokens: [{ token: 't'.repeat(24) }],
  oauth: undefined,
  hash: (text) => text,
});
const record = z.object({ text: memberBlock('Text'), name: fields.title('Name') });
const product = { ref: 'course 1', kind: 'course', type: 'course', id: 1, slug: 'a' } as const;

const takesText = (schema: z.ZodType) => (text: string) => void schema.safeParse(text);

/** Every function that searches a text, called without its length limit. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  cleanText,
  composed,
  oneLine: (text) => oneLine(text, 200),
  quotable: (text) => quotable(text, 200),
  cutAt: (text) => cutAt(text, 50_000),
  cutToBytes: (text) => cutToBytes(text, 3_000),
  withoutEmails,
  'a field of the log': (text) => log.info({ text }, 'message'),
  'an error in the log': (text) => log.error({ err: new RangeError(text) }, 'message'),
  redact: createRedactor(['aaaaaaaab', 's3cret-s3cret']),
  parseDecimal,
  parseRetryAfter: (text) => parseRetryAfter(text, 0),
  isPathSegment: fields.isPathSegment,
  isDateOrTime: fields.isDateOrTime,
  isTimeZone,
  'the shape of an email': (text) => fields.emailShape.test(text),
  'an email': takesText(fields.email('')),
  'a title': takesText(fields.title('')),
  'a text': takesText(fields.text('')),
  'a price': takesText(fields.price('')),
  'a date': takesText(fields.dateOrTime('')),
  'a timestamp': takesText(fields.timestamp('')),
  'an id or slug': takesText(fields.idOrSlug('')),
  'a number': takesText(fields.integer(0, 9, '')),
  'a flag': takesText(fields.flag('')),
  buyerKey,
  'a text that an answer shows': (text) => compareValues(text, `${text}<`),
  'the words of a text': textContentOf,
  'a title of the API': (text) => exactMatches([{ ...product, title: text }], 'a b'),
  'a record of the API': (text) => sanitizeRecord(record, { text, name: text, other: text }),
  'an authorization header': (text) => authentication?.identify(`Bearer ${text}`, {}).catch(() => {}),
};

const shorter = 12_500;
const longer = 8 * shorter;
/** Eight times the text should take eight times as long; quadratic time would take 64 times as long. */
const maxGrowth = 24;
/** Milliseconds below which a measurement is only noise. */
const floor = 1;

async function growth(read: (text: string) => unknown, made: (length: number) => string): Promise<number> {
  const [short, long] = [made(shorter), made(longer)];
  const once = await cheapest(2, () => read(long));
  if (once <= (maxGrowth * floor) / 2) return 1;
  return (await cheapest(5, () => read(long))) / Math.max(floor, await cheapest(5, () => read(short)));
}

test.for(Object.entries(readers))('%s takes time proportional to the length of the text', async ([, read]) => {
  for (const [kind, made] of Object.entries(adversarialTexts)) {
    expect(await growth(read, made), kind).toBeLessThan(maxGrowth);
  }
});
