import { encode } from 'gpt-tokenizer/encoding/o200k_base';

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

/** 12,345 */
export const count = (value: number): string => whole.format(value);

/** "1.24 x" */
export const ratio = (value: number, base: number): string => `${(value / base).toFixed(2)} x`;

/** "37 %" */
export const share = (value: number, base: number): string => `${Math.round((100 * value) / base)} %`;

/** Two significant digits: 0.066, 1.4, 86. */
export function milliseconds(value: number): string {
  if (value >= 10) return count(value);
  return value.toFixed(value >= 1 ? 1 : value >= 0.1 ? 2 : 3);
}

/** Megabytes of 2^20 bytes. Only Linux shows the memory of another process. */
export const megabytes = (bytes = Number.NaN): string => (Number.isNaN(bytes) ? 'not known' : count(bytes / 2 ** 20));

export const byteLength = (text: string): number => Buffer.byteLength(text);

/** Bytes of a value as compact JSON; a missing value takes none. */
export const jsonBytes = (value: unknown): number => byteLength(JSON.stringify(value) ?? '');

/** Tokens of o200k_base: each model has its own tokens, in similar proportions. */
export const tokens = (text = ''): number => encode(text).length;
