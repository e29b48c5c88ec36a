import type { Heard, Story } from './agent.ts';

/** Whether a request did the work, after all late ones have taken effect. */
const worked = ({ sent }: Heard): boolean => sent.some((entry) => entry.worked && (entry.status ?? 500) < 300);

/** The API shows no roles of a student. */
const isInvisible = ({ operation }: Story): boolean => operation.tool === 'grant_role';

function misreported({ answer, count }: Heard, didWork: boolean): string | undefined {
  if (answer.outcome === undefined) return `an answer without an outcome: ${answer.text.slice(0, 200)}`;
  if (answer.outcome === 'applied' && count === 0) return 'reported as applied, but has no effect';
  return answer.outcome === 'not_applied' && didWork ? 'reported as not applied, but was applied' : undefined;
}

/** The time when its effect was first visible. */
function doneAt({ calls }: Story): number {
  const times = calls.flatMap(({ sent }) =>
    sent.flatMap(({ workedAt, status = 500 }) => (status < 300 ? (workedAt ?? []) : [])),
  );
  return Math.min(...times);
}

/** The effect was readable at the program's last check, and still reported as unknown. */
function needlesslyUnknown(story: Story, { answer, count, readsFailed, lastReadAt }: Heard): boolean {
  if (answer.outcome !== 'outcome_unknown' || count === 0 || readsFailed || isInvisible(story)) return false;
  return lastReadAt === undefined || doneAt(story) < lastReadAt;
}

export interface Judgement {
  readonly duplicated: boolean;
  readonly lost: boolean;
  readonly misreported: readonly string[];
  /** Unknown after the first call, and after the last repeat. */
  readonly unknownFirst: boolean;
  readonly unknownLast: boolean;
  readonly needless: boolean;
}

/** Compares one write with the state of the sandbox, after all late effects. */
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
