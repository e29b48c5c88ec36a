import { asOf } from './period.ts';

// How fresh records from the copy of the academy are: two times, in the same words in every answer.

export interface Freshness {
  /** Every record that the academy had at this time was read. */
  readonly newUpTo: Date;
  /** Changes of these records after this time may be missing: the oldest reading among them. */
  readonly changesAsOf: Date;
}

/** ISO 8601, UTC, in seconds. `as_of` alone if both times are the same, otherwise the other two. */
export interface FreshnessFacts {
  readonly as_of?: string;
  readonly new_up_to?: string;
  readonly changes_as_of?: string;
}

export function freshnessFacts({ newUpTo, changesAsOf }: Freshness): FreshnessFacts {
  const [new_up_to, changes_as_of] = [asOf(newUpTo), asOf(changesAsOf)];
  return new_up_to === changes_as_of ? { as_of: new_up_to } : { new_up_to, changes_as_of };
}

/** "as of 2026-11-21T07:19:42Z", or "new orders up to …, changes as of …". */
export function freshnessText(facts: FreshnessFacts): string {
  if (facts.as_of !== undefined) return `as of ${facts.as_of}`;
  return `new orders up to ${facts.new_up_to}, changes as of ${facts.changes_as_of}`;
}

export function olderTime(one: Date | undefined, other: Date): Date {
  return one !== undefined && one < other ? one : other;
}

export function olderFreshness(one: Freshness, other: Freshness): Freshness {
  return {
    newUpTo: olderTime(one.newUpTo, other.newUpTo),
    changesAsOf: olderTime(one.changesAsOf, other.changesAsOf),
  };
}

// What coverage says of the source of an answer. Without the mirror, the source is the API.

interface SourceFacts extends FreshnessFacts {
  readonly source?: 'mirror' | 'mirror and API';
}

/** `parts`: how fresh each part is, if the mirror gave it. `apiAt`: when the API was asked; undefined: it was not. */
export function sourceFacts(parts: readonly (Freshness | undefined)[], apiAt: Date | undefined): SourceFacts {
  const copies = parts.filter((part) => part !== undefined);
  const read = apiAt === undefined ? [] : [{ newUpTo: apiAt, changesAsOf: apiAt }];
  const facts = freshnessFacts([...copies, ...read].reduce(olderFreshness));
  if (copies.length === 0) return facts;
  return { source: apiAt === undefined ? 'mirror' : 'mirror and API', ...facts };
}

/** "as of 2026-11-21T07:19:42Z"; for the mirror, also the source and the two times, if they differ. */
export function sourceText(facts: SourceFacts): string {
  const times = freshnessText(facts);
  return facts.source === undefined ? times : `source: ${facts.source}, ${times}`;
}
