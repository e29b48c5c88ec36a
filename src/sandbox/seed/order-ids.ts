import { hash } from './random.ts';

const threeDigits = 36 ** 3;
const sixDigits = threeDigits ** 2;

/**
 * The public id of the n-th order of an academy: 12 characters, unique, and identical at every start. The first six are a
 * permutation of n; the others make ids hard to guess.
 */
export function orderIds(key: string): (number: number) => string {
  return (number) => base36(shuffled(number, key)) + base36(hash(`${key}|order|${number}`, 12) % sixDigits);
}

/** A Feistel network: each round changes one half by a hash of the other, so it is reversible and never collides. */
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
