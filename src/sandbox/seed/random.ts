/** Repeatable random numbers: identical parts give identical sequences. */
export type Random = ReturnType<typeof createRandom>;

/**
 * sfc32 (Chris Doty-Humphrey's small fast counter, public domain). The hashed parts are its state. A part per use
 * ("orders", "students" …) makes the uses independent.
 */
export function createRandom(...parts: readonly (string | number)[]) {
  const text = parts.join('|');
  let a = hash(text, 1);
  let b = hash(text, 2);
  let c = hash(text, 3);
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  // The first numbers still depend on the hashes visibly; a few rounds mix them.
  for (let round = 0; round < 12; round += 1) next();
  return {
    /** From 0, inclusive, to 1, exclusive. */
    next,
    /** From minimum to maximum, both inclusive. */
    integer: (minimum: number, maximum: number) => minimum + Math.floor(next() * (maximum - minimum + 1)),
    chance: (probability: number) => next() < probability,
    /** Throws a RangeError if the list is empty. */
    pick: <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
  };
}

/** A 32-bit hash of a text (FNV-1a with a murmur finish), different for each salt. */
export function hash(text: string, salt: number): number {
  let value = 0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1);
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
