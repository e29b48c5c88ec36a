import { hash } from './random.ts';

const threeDigits = 36 ** 3;
const sixDigits = threeDigits ** 2;

/**
 * The public id of the n-th order of an academy: 12 characters, equal at every start, never twice.
 * The first six are a permutation of n, the others make ids hard to guess.
 */
export function orderIds(key: string): (number: number) => string {
  return (number) => base36(shuffled(number, key)) + base36(hash(`${key}|order|${number}`, 12) % sixDigits);
}

/** Each step adds to one half what the other half decides, so it can be undone: no two numbers meet. */
function shuffled(number: number, key: string): number {
  let high = Math.floor(number / threeDigits) % threeDigits;
  let low = number % threeDigits;
  for (let round = 0; round < 4; round += 1) {
    const next = (high + hash(`${key}|${round}|${low}`, 11)) % threeDigits;
    high = low;
    low = next;
  }
  return high * threeDigits + low;
}

function base36(value: number): string {
  return value.toString(36).padStart(6, '0');
}
