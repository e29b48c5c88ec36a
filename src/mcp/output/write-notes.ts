import type { WriteNote } from '../../api/writes/write-note.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import type { Presented } from '../tool.ts';

/** Of several writes the one of which least is known speaks for all. */
function outcomeOf(notes: readonly WriteNote[]): WriteOutcome | undefined {
  const outcomes = notes.flatMap(({ acceptedFields }) => acceptedFields?.outcome ?? []);
  return (['outcome_unknown', 'not_applied', 'applied'] as const).find((outcome) => outcomes.includes(outcome));
}

/** Names alone: the values, which somebody may have typed, stand in their own field. */
function summaryOf(presented: Presented, outcome: WriteOutcome | undefined, unchanged: Json): string {
  const names = Object.keys(unchanged).join(', ');
  if (names === '') return presented.summary;
  if (outcome === 'not_applied') return `Nothing was changed: the API took none of what was sent (${names}).`;
  if (outcome === 'outcome_unknown')
    return `It is not known whether this was done: the API shows other values (${names}).`;
  return `${presented.summary} Not as sent: ${names}.`;
}

/** The words of a tool that it was done, which would be wrong where it was not. */
function factsOf({ data }: Presented, outcome: WriteOutcome | undefined, unchanged: Json): Json {
  const { changed, note, ...others } = data;
  const isDone = outcome === undefined || outcome === 'applied';
  const taken = Array.isArray(changed) ? changed.filter((name) => !(String(name) in unchanged)) : [];
  return {
    ...others,
    ...(isDone && taken.length > 0 ? { changed: taken } : {}),
    ...(isDone && note !== undefined ? { note } : {}),
    ...(outcome === undefined ? {} : { outcome }),
    ...(Object.keys(unchanged).length === 0 ? {} : { unchanged_fields: unchanged }),
  };
}

/**
 * What is to be said of a write stands with its answer: how it came to be applied, and which fields the API shows with another
 * value than was sent. Where nothing was sent, the tool's own words would be wrong.
 */
export function withNotes(presented: Presented, notes: readonly WriteNote[]): Presented {
  if (notes.length === 0) return presented;
  const isSent = notes.every(({ sent }) => sent);
  const outcome = outcomeOf(notes);
  const unchanged: Json = Object.assign({}, ...notes.map(({ acceptedFields }) => acceptedFields?.unchanged ?? {}));
  const summary = isSent ? summaryOf(presented, outcome, unchanged) : 'Nothing was sent.';
  const { note: own, ...facts } = factsOf(presented, outcome, unchanged);
  const texts = notes.map(({ text }) => text);
  const note = [...(isSent ? [own] : []), ...texts].filter((part) => typeof part === 'string').join('; ');
  return { ...presented, summary, data: { ...facts, note } };
}
