import type { WriteNote } from '../../api/writes/write-outcome.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Presented } from '../tool.ts';

/** The outcome of several writes is their most uncertain one. */
function outcomeOf(notes: readonly WriteNote[]): WriteOutcome | undefined {
  const outcomes = notes.flatMap(({ acceptedFields }) => acceptedFields?.outcome ?? []);
  return (['outcome_unknown', 'not_applied', 'applied'] as const).find((outcome) => outcomes.includes(outcome));
}

/** The outcome that the tool saw when it read back; undefined if it only has the API's word. */
function readBackOf({ data: { outcome, verified } }: Presented): WriteOutcome | undefined {
  if (outcome === 'outcome_unknown') return outcome;
  return outcome === 'applied' && verified === true ? outcome : undefined;
}

/** Only the names of fields: their values, which somebody may have typed, are in `unchanged_fields`. */
function summaryOf(presented: Presented, outcome: WriteOutcome | undefined, unchanged: Json): string {
  const names = Object.keys(unchanged).join(', ');
  if (names === '') return presented.summary;
  if (outcome === 'not_applied') return `Nothing was changed: the API applied none of the sent values (${names}).`;
  if (outcome === 'outcome_unknown')
    return `The outcome is unknown: the API shows other values than were sent (${names}).`;
  return `${presented.summary} Not as sent: ${names}.`;
}

/** The changes of fields that the API shows with the sent value. */
function changesWithout(changes: unknown, unchanged: Json): Json {
  const done = Object.entries(isObject(changes) ? changes : {}).filter(([name]) => !(name in unchanged));
  return done.length > 0 ? { changes: Object.fromEntries(done) } : {};
}

/** The data without the tool's statements of success if the write was not applied. */
function factsOf({ data }: Presented, outcome: WriteOutcome | undefined, unchanged: Json): Json {
  const { changed, changes, note, ...others } = data;
  const isDone = outcome === undefined || outcome === 'applied';
  // The note of a tool that read back says what it saw.
  const isOwn = isDone || outcome === others.outcome;
  const applied = Array.isArray(changed) ? changed.filter((name) => !(String(name) in unchanged)) : [];
  return {
    ...others,
    ...(isDone && applied.length > 0 ? { changed: applied } : {}),
    ...(isDone ? changesWithout(changes, unchanged) : {}),
    ...(isOwn && note !== undefined ? { note } : {}),
    ...(outcome === undefined ? {} : { outcome }),
    ...(Object.keys(unchanged).length === 0 ? {} : { unchanged_fields: unchanged }),
  };
}

/**
 * Adds the notes about a write to its answer: how it was applied, and which fields the API shows with another value than
 * was sent. If nothing was sent, the notes replace the tool's own summary.
 */
export function withNotes(presented: Presented, notes: readonly WriteNote[]): Presented {
  if (notes.length === 0) return presented;
  const isSent = notes.every(({ sent }) => sent);
  const outcome = readBackOf(presented) ?? outcomeOf(notes);
  const unchanged: Json = Object.assign({}, ...notes.map(({ acceptedFields }) => acceptedFields?.unchanged ?? {}));
  const summary = isSent ? summaryOf(presented, outcome, unchanged) : 'Nothing was sent.';
  const { note: own, ...facts } = factsOf(presented, outcome, unchanged);
  // If it was so before, reading back proves nothing.
  const isProof = presented.data.outcome !== 'already_there' || !isSent;
  const texts = notes.flatMap(({ text, acceptedFields }) => (isProof || acceptedFields !== undefined ? [text] : []));
  const note = [...(isSent ? [own] : []), ...texts].filter((part) => typeof part === 'string').join('; ');
  const isThere = !isSent && notes.some(({ isAlreadyThere }) => isAlreadyThere === true);
  return {
    ...presented,
    summary,
    data: { ...facts, ...(isThere ? { outcome: 'already_there' } : {}), ...(note === '' ? {} : { note }) },
  };
}
