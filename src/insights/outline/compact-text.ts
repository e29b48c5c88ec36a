import { oneLine } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import {
  isRenamed,
  isSame,
  type LessonDiff,
  type ListChange,
  lessonDiffText,
  listChangesOf,
  originText,
  othersLine,
} from './before-after-text.ts';
import { type Course, listName } from './course.ts';
import type { LessonChange, Write } from './lesson-changes.ts';
import type { Target } from './target.ts';

/** The length of an unchanged title: it only helps a reader who knows the course, since the id identifies the lesson. */
const maxTitle = 40;

type Writes = ReadonlyMap<number, Write>;

/** Whether a lesson is not written and stays in its list. */
function stays({ lesson, module_id }: LessonDiff, { list }: ListChange, writes: Writes): boolean {
  return module_id === list.module_id && !writes.has(lesson.id);
}

interface Run {
  readonly arrivals: readonly LessonDiff[];
  /** Index of the first one in the final list, from 0. */
  readonly at: number;
  readonly stays: boolean;
}

/** Lessons that stay, and are neighbours before and after, form one run; every other lesson is a run of its own. */
function runsOf(listChange: ListChange, writes: Writes): Run[] {
  const runs: Run[] = [];
  for (const [at, arrival] of listChange.after.entries()) {
    const last = runs.at(-1);
    const isStaying = stays(arrival, listChange, writes);
    const follows = last?.stays === true && isStaying && last.arrivals.at(-1)?.index === arrival.index - 1;
    if (last !== undefined && follows) runs[runs.length - 1] = { ...last, arrivals: [...last.arrivals, arrival] };
    else runs.push({ arrivals: [arrival], at, stays: isStaying });
  }
  return runs;
}

function numberText({ was }: LessonDiff, writes: Writes): string {
  const sequence = writes.get(was.id)?.sequence;
  return sequence === undefined ? '' : `, sequence ${was.sequence ?? 'not shown'} -> ${sequence}`;
}

function lineOf(arrival: LessonDiff, at: number, { list }: ListChange, writes: Writes): string {
  const { module_id, index, was } = arrival;
  const from = module_id === list.module_id ? `${index + 1}` : originText(arrival);
  const former = isRenamed(arrival) ? `, title before: ${asValue(oneLine(was.title ?? '', maxTitle))}` : '';
  return `    ${at + 1}. ${lessonDiffText(arrival, maxTitle)} <- ${from}${numberText(arrival, writes)}${former}`;
}

function runLines({ arrivals, at, stays: isStaying }: Run, listChange: ListChange, writes: Writes): string[] {
  const [first, ...others] = arrivals;
  if (first === undefined) return [];
  if (!isStaying || others.length === 0) return [lineOf(first, at, listChange, writes)];
  const count = arrivals.length;
  return [`    ${at + 1}-${at + count}. as ${first.index + 1}-${first.index + count} before`];
}

function listLines(listChange: ListChange, writes: Writes): string[] {
  const { list, after } = listChange;
  const runs = runsOf(listChange, writes);
  const lines = runs.flatMap((run) => runLines(run, listChange, writes));
  return [`${listName(list)}: ${list.lessons.length} lessons before, ${after.length} after`, ...lines];
}

/**
 * The final state of each list that changes. Lessons that stay together share one line; every lesson that is written has a
 * line with all its changes: its old place, its new number, title and publication.
 */
export function compactLines(
  course: Course,
  target: Target,
  changes: readonly LessonChange[],
  writes: readonly Write[],
): string[] {
  const listChanges = listChangesOf(course, target, changes);
  const byId = new Map(writes.map((write) => [write.lesson_id, write]));
  return [
    ...listChanges.filter((listChange) => !isSame(listChange)).flatMap((listChange) => listLines(listChange, byId)),
    ...othersLine(listChanges),
  ];
}
