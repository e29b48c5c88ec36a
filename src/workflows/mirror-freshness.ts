import {
  type Freshness,
  type FreshnessFacts,
  freshnessFacts,
  freshnessText,
  olderFreshness,
} from '../insights/freshness.ts';

// What coverage says of the source of an answer. Without the mirror, the source is the API.

export interface SourceFacts extends FreshnessFacts {
  readonly source?: 'mirror' | 'mirror and API';
}

/** `copies`: how fresh each part is that the mirror gave. `apiAt`: when the API was asked; undefined: it was not. */
export function sourceFacts(copies: readonly Freshness[], apiAt: Date | undefined): SourceFacts {
  const read = apiAt === undefined ? [] : [{ newUpTo: apiAt, changesAsOf: apiAt }];
  const facts = freshnessFacts([...copies, ...read].reduce(olderFreshness));
  if (copies.length === 0) return facts;
  return { source: apiAt === undefined ? 'mirror' : 'mirror and API', ...facts };
}

/** "as of 2026-11-21T07:19:42Z"; for the mirror, also the source and the two times, if they differ. */
export function sourceText(facts: SourceFacts, noun?: string): string {
  const times = freshnessText(facts, noun);
  return facts.source === undefined ? times : `source: ${facts.source}, ${times}`;
}
