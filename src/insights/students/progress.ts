/** How far somebody has come who bought a course. */
export interface Learner {
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** When they first bought it, in milliseconds since 1970. */
  readonly since: number | undefined;
  /** How many of their orders were no purchases. */
  readonly granted?: number;
  /** Percent of the course; undefined where it could not be read. */
  readonly percent: number | undefined;
  /** Why it could not, where the API refused to tell. */
  readonly why?: string | undefined;
}

export interface Band {
  /** "25-49%", "0%" or "100%". */
  readonly label: string;
  readonly learners: number;
}

export const usualBands: readonly number[] = [0, 1, 25, 50, 75, 100];

function labelOf(from: number, next: number | undefined): string {
  const last = next === undefined ? 100 : next - 1;
  // With the sign no label is a whole number: objects would put those first.
  return last <= from ? `${from}%` : `${from}-${last}%`;
}

/** How many stand in each band; `bounds` are the lowest percents of the bands. */
export function bandsOf(percents: readonly number[], bounds: readonly number[]): Band[] {
  const starts = [...new Set([0, ...bounds])].sort((one, other) => one - other);
  return starts.map((from, index) => {
    const next = starts[index + 1];
    const isIn = (percent: number) => (percent >= from || index === 0) && (next === undefined || percent < next);
    return { label: labelOf(from, next), learners: percents.filter(isIn).length };
  });
}

const dayMs = 86_400_000;

export interface Distribution {
  readonly bands: readonly Band[];
  readonly average: number | undefined;
  readonly notStarted: number;
  /** Who has not finished so many days after buying, the least far first. */
  readonly stuck: readonly Learner[];
  readonly finished: readonly Learner[];
  /** Number of learners whose progress could not be read. */
  readonly unknown: number;
  /** Who they are. */
  readonly unread: readonly Learner[];
}

/** Only what is all of it is shown as 100. */
function rounded(percent: number): number {
  return percent < 100 ? Math.min(99, Math.round(percent)) : 100;
}

function leastFirst(one: Learner, other: Learner): number {
  return (one.percent ?? 0) - (other.percent ?? 0) || (one.since ?? 0) - (other.since ?? 0);
}

export function distribute(
  learners: readonly Learner[],
  { bounds, stuckAfterDays, now }: { bounds: readonly number[]; stuckAfterDays: number; now: Date },
): Distribution {
  const percents = learners.flatMap(({ percent }) => (percent === undefined ? [] : [percent]));
  const isOld = ({ since }: Learner) => since !== undefined && now.getTime() - since >= stuckAfterDays * dayMs;
  const sum = percents.reduce((total, percent) => total + percent, 0);
  return {
    bands: bandsOf(percents, bounds),
    average: percents.length === 0 ? undefined : rounded(sum / percents.length),
    notStarted: percents.filter((percent) => percent <= 0).length,
    stuck: learners
      .filter((learner) => learner.percent !== undefined && learner.percent < 100 && isOld(learner))
      .sort(leastFirst),
    finished: learners.filter(({ percent }) => percent !== undefined && percent >= 100),
    unknown: learners.length - percents.length,
    unread: learners.filter(({ percent }) => percent === undefined),
  };
}
