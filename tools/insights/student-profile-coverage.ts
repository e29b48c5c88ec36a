import { coursesInDetails } from '../../src/insights/students/courses-in-details.ts';
import {
  countUnreadable,
  hasUnreadable,
  mergeUnreadable,
  type Unreadable,
  unreadableText,
} from '../../src/insights/unreadable.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
import { sourceFacts } from '../../src/workflows/mirror-freshness.ts';
import { incompleteBecause } from '../../src/workflows/sales/coverage.ts';
import { completionKey } from '../../src/workflows/students/completion-batch.ts';
import type { ProfileReading } from '../../src/workflows/students/read-profile.ts';
import { definedFields } from '../defined-fields.ts';

export interface Profile extends ProfileReading {
  email: string;
}

/** The courses whose progress could not be read: "course 7 (forbidden: …), course 8". */
function coursesWithoutPercent({ email, holdings, completions, refusals }: Profile): string[] {
  return holdings.flatMap(({ kind, id, ref }) => {
    const key = completionKey({ course_id: id, email });
    if (kind !== 'course' || !completions.has(key) || completions.get(key) !== undefined) return [];
    const why = refusals.get(key);
    return [why === undefined ? ref : `${ref} (${oneLine(why, 160)})`];
  });
}

/** Counts of unreadable values, for the first line and the coverage. */
function unreadableIn(profile: Profile): Unreadable {
  const percentages = coursesWithoutPercent(profile).length;
  const { nameless } = profile;
  return mergeUnreadable(countUnreadable(profile.orders.flatMap((order) => order.unreadable)), {
    ...(percentages === 0 ? {} : { percentages }),
    ...(nameless === 0 ? {} : { emails: nameless }),
  });
}

/** The parts that the API refused, or returned in an unreadable form. */
function refusedIn({ detailsProblem, student }: Profile): string[] {
  const shown = coursesInDetails(student);
  const isUnclear = shown !== undefined && !shown.isWhole;
  return [
    ...(detailsProblem === undefined
      ? []
      : [`the details of the student could not be read (${oneLine(detailsProblem, 200)})`]),
    ...(isUnclear ? ['some courses in the details of the student could not be read'] : []),
  ];
}

/** How complete a profile is. */
export function coverageOf(profile: Profile, { spent, readAt }: Pick<ToolContext, 'spent' | 'readAt'>): Json {
  const { copied, holdings, completions, isCut, problem, spellings, stopped, doubts } = profile;
  const unread = holdings.filter(({ kind }) => kind === 'course').length - completions.size;
  const isMissing = isCut || problem !== undefined;
  const unreadable = unreadableIn(profile);
  const refused = refusedIn(profile);
  const complete = unread === 0 && !isMissing && !hasUnreadable(unreadable) && refused.length + doubts.length === 0;
  return definedFields({
    complete,
    orders_missing: isMissing ? 'some, so held products may be missing too' : undefined,
    courses_without_progress: unread > 0 ? unread : undefined,
    unreadable: hasUnreadable(unreadable) ? unreadable : undefined,
    discarded: profile.discarded > 0 ? profile.discarded : undefined,
    ignored_filters: profile.discarded > 0 ? ['user_email'] : undefined,
    doubtful: doubts.length > 0 ? doubts : undefined,
    not_read: refused.join('; ') || undefined,
    without_percent: coursesWithoutPercent(profile).join(', ') || undefined,
    // The API compares emails with regard to case, so an order with other capitals is not found.
    unpaid_looked_for_under: copied === undefined ? spellings.join(', ') : undefined,
    requests_spent: spent(),
    ...sourceFacts(copied === undefined ? [] : [copied], readAt()),
    stopped: stopped ?? problem,
    // More requests would not return what the API does not provide.
    next: complete || (unread === 0 && !isCut) ? undefined : 'raise max_requests',
  });
}

/** "Incomplete (why)", the first words about a profile that is not complete. */
export function incompleteStart(profile: Profile): string {
  const reasons = [profile.problem, ...profile.doubts, ...refusedIn(profile), unreadableText(unreadableIn(profile))];
  const why = reasons.filter(Boolean).join('; ');
  return why === '' ? 'Incomplete' : incompleteBecause(why);
}
