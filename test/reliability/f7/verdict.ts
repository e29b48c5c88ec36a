import type { Heard, Story } from './agent.ts';

/** Whether a request did the work, now that all late ones have come about. */
const worked = ({ sent }: Heard): boolean => sent.some((entry) => entry.worked && (entry.status ?? 500) < 300);

/** The API shows no roles of a student. */
const isInvisible = ({ operation }: Story): boolean => operation.tool === 'grant_role';

function misreported({ answer, count }: Heard, didWork: boolean): string | undefined {
  if (answer.outcome === undefined) return `an answer without an outcome: ${answer.text.slice(0, 200)}`;
  if (answer.outcome === 'applied' && count === 0) return 'said to be applied, but it is not there';
  return answer.outcome === 'not_applied' && didWork ? 'said not to be applied, but it was' : undefined;
}

/** When its effect was there first. */
function doneAt({ calls }: Story): number {
  const times = calls.flatMap(({ sent }) =>
    sent.flatMap(({ workedAt, status = 500 }) => (status < 300 ? (workedAt ?? []) : [])),
  );
  return Math.min(...times);
}

/** It was there when the program last looked, it could be read, and still it was called unknown. */
function needlesslyUnknown(story: Story, { answer, count, readsFailed, lastReadAt }: Heard): boolean {
  if (answer.outcome !== 'outcome_unknown' || count === 0 || readsFailed || isInvisible(story)) return false;
  return lastReadAt === undefined || doneAt(story) < lastReadAt;
}

export interface Judgement {
  readonly duplicated: boolean;
  readonly lost: boolean;
  readonly misreported: readonly string[];
  /** Unknown at first, and after the last repeat. */
  readonly unknownFirst: boolean;
  readonly unknownLast: boolean;
  readonly needless: boolean;
}

/** Holds one write against the state of the sandbox, once everything late has come about. */
export function judge(story: Story): Judgement {
  const { operation, calls } = story;
  const count = operation.count();
  const last = calls.at(-1)?.answer.outcome;
  return {
    duplicated: count > 1,
    lost: last === 'applied' && count === 0,
    misreported: calls.flatMap((heard) => misreported(heard, worked(heard)) ?? []),
    unknownFirst: calls[0]?.answer.outcome === 'outcome_unknown',
    unknownLast: last === 'outcome_unknown',
    needless: calls.some((heard) => needlesslyUnknown(story, heard)),
  };
}
