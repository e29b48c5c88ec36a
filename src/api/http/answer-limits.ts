import { exceededBy, type JsonLimits } from '../../shared/json-limits.ts';
import { withCommas } from '../../shared/number-text.ts';

/** Largest body of an answer, in bytes. Lists without pages can be long, but a longer answer is a fault. */
export const maxAnswerBytes = 32 * 2 ** 20;

/**
 * What a body may hold: 200,000 records of fifteen values each. With these limits any answer stays below about 500 MB
 * of memory.
 */
const jsonLimits: JsonLimits = { records: 200_000, values: 3_000_000, depth: 64 };

export type AnswerLimit = 'bytes' | keyof JsonLimits;

/** The limits in words, for errors. */
export const answerLimitText: Record<AnswerLimit, string> = {
  bytes: `more than ${maxAnswerBytes / 2 ** 20} MiB`,
  records: `more than ${withCommas(jsonLimits.records)} records`,
  values: `more than ${withCommas(jsonLimits.values)} values`,
  depth: `values nested deeper than ${jsonLimits.depth} levels`,
};

/** Which limit a complete body exceeds. Checked before the body is parsed. */
export function answerLimitExceededBy(text: string): AnswerLimit | undefined {
  return exceededBy(text, jsonLimits);
}
