import { exceededBy, type JsonLimits } from '../../shared/json-limits.ts';

/** Bytes of an answer's body. Lists without pages can be long, but an answer of more is a fault. */
export const maxAnswerBytes = 32 * 2 ** 20;

/**
 * What a body may hold: 200,000 records, with fifteen values each, so that an answer stays below some 500 MB of memory
 * whatever it holds.
 */
const jsonLimits: JsonLimits = { records: 200_000, values: 3_000_000, depth: 64 };

export type AnswerLimit = 'bytes' | keyof JsonLimits;

/** The limits in words, for errors. */
export const answerLimitWords: Record<AnswerLimit, string> = {
  bytes: `more than ${maxAnswerBytes / 2 ** 20} MiB`,
  records: `more than ${jsonLimits.records.toLocaleString('en')} records`,
  values: `more than ${jsonLimits.values.toLocaleString('en')} values`,
  depth: `values nested deeper than ${jsonLimits.depth} levels`,
};

/** Which limit a body exceeds that has arrived whole: asked before it is parsed. */
export function answerLimitExceededBy(text: string): AnswerLimit | undefined {
  return exceededBy(text, jsonLimits);
}
