import { type Freshness, type FreshnessFacts, freshnessFacts, freshnessText } from '../insights/freshness.ts';

// What coverage says of the source of an answer. Without the mirror, the source is the API.

export interface SourceFacts extends FreshnessFacts {
  readonly source?: 'mirror';
}

/** `mirror`: how fresh the mirror is, if the answer comes from it. */
export function sourceFacts(mirror: Freshness | undefined, now: Date): SourceFacts {
  if (mirror === undefined) return freshnessFacts({ newUpTo: now, changesAsOf: now });
  return { source: 'mirror', ...freshnessFacts(mirror) };
}

/** "as of 2026-11-21T07:19:42Z"; for the mirror, also the source and the two times, if they differ. */
export function sourceText(facts: SourceFacts): string {
  return facts.source === undefined ? freshnessText(facts) : `source: mirror, ${freshnessText(facts)}`;
}
