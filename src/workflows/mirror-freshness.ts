import { asOf } from '../insights/period.ts';
import type { MirrorFreshness } from '../mcp/data-mirror.ts';

// What coverage says of the source of an answer. Without the mirror, the source is the API.

export interface SourceFacts {
  readonly source?: 'mirror';
  readonly as_of: string;
  /** Changes since then may be missing; absent if the same. */
  readonly changes_as_of?: string;
}

/** `mirror`: how fresh the mirror is, if the answer comes from it. */
export function sourceFacts(mirror: MirrorFreshness | undefined, now: Date): SourceFacts {
  if (mirror === undefined) return { as_of: asOf(now) };
  const [as_of, changes_as_of] = [asOf(mirror.asOf), asOf(mirror.changesAsOf)];
  return { source: 'mirror', as_of, ...(changes_as_of < as_of ? { changes_as_of } : {}) };
}

/** "as of 2026-11-21T07:19:42Z"; for the mirror, also the source and the time after which changes may be missing. */
export function sourceText({ source, as_of, changes_as_of }: SourceFacts): string {
  if (source === undefined) return `as of ${as_of}`;
  const changes = changes_as_of === undefined ? '' : `, later changes as of ${changes_as_of}`;
  return `source: mirror, as of ${as_of}${changes} (fresh: true reads the API)`;
}
