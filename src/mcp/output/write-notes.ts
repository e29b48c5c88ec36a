import type { WriteNote } from '../../api/writes/write-outcome.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Part } from '../tool.ts';

/** The outcome of several writes is their most uncertain one. */
function outcomeOf(notes: readonly WriteNote[]): WriteOutcome | undefined {
  const outcomes = notes.flatMap(({ acceptedFields }) => acceptedFields?.outcome ?? []);
  return (['outcome_unknown', 'not_applied', 'applied'] as const).find((outcome) => outcomes.includes(outcome));
}

/** The outcome that the tool saw when it read back; undefined if it only has the API's word. */
function readBackOf({ data: { outcome, verified } }: Part): WriteOutcome | undefined {
  if (outcome === 'applied') return verified === true ? outcome : undefined;
  return outcome === 'outcome_unknown' ? outcome : undefined;
}

/** Only the names of fields: their values, which somebody may have typed, are in `unchanged_fields`. */
function summaryOf({ summary }: Part, outcome: WriteOutcome | undefined, unchanged: Json): string {
  const names = Object.keys(unchanged).join(', ');
  if (names === '') return summary;
  if (outcome === 'not_applied') return `Nothing was changed: the API applied none of the sent values (${names}).`;
  if (outcome === 'outcome_unknown')
    return `The outcome is unknown: the API shows other values than were sent (${names}).`;
  return `${summary} Not as sent: ${names}.`;
}

/** The data without the tool's statements of success if the write was not applied. */
function factsOf({ data }: Part, outcome: WriteOutcome | undefined, unchanged: Json): Json {
  const { changed, changes, note, ...others } = data;
  const isDone = outcome === undefined || outcome === 'applied';
  const isApplied = (name: unknown) => !(String(name) in unchanged);
  // Of fields that the API shows with the sent value.
  const done = Object.entries(isObject(changes) ? changes : {}).filter(([name]) => isApplied(name));
  return {
    ...others,
    changed: isDone && Array.isArray(changed) ? changed.filter(isApplied) : undefined,
    changes: isDone && done.length > 0 ? Object.fromEntries(done) : undefined,
    // The note of a tool that read back says what it saw.
    note: isDone || outcome === others.outcome ? note : undefined,
    outcome: outcome ?? others.outcome,
    unchanged_fields: Object.keys(unchanged).length === 0 ? undefined : unchanged,
  };
}

/** Adds how a write was applied, and which fields the API shows with another value. If nothing was sent, that is the summary. */
export function withNotes(part: Part, notes: readonly WriteNote[]): Part {
  if (notes.length === 0) return part;
  const isSent = notes.every(({ sent }) => sent);
  const isThere = !isSent && notes.some(({ isAlreadyThere }) => isAlreadyThere === true);
  const unchanged: Json = Object.assign({}, ...notes.map(({ acceptedFields }) => acceptedFields?.unchanged ?? {}));
  const outcome = readBackOf(part) ?? outcomeOf(notes);
  const { note: own, ...facts } = factsOf(part, outcome, unchanged);
  // If it was so before, reading back proves nothing.
  const isProof = part.data.outcome !== 'already_there' || !isSent;
  const texts = notes.flatMap(({ text, acceptedFields }) => (isProof || acceptedFields !== undefined ? [text] : []));
  const note = [...(isSent ? [own] : []), ...texts].filter((text) => typeof text === 'string').join('; ');
  return {
    summary: isSent ? summaryOf(part, outcome, unchanged) : 'Nothing was sent.',
    data: { ...facts, ...(isThere ? { outcome: 'already_there' } : {}), note: note || undefined },
  };
}
