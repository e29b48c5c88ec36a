import type { AnswerOf } from '../../contract/operation.ts';
import type { listStudents } from '../../contract/students.ts';
import { caseless, oneLine } from '../../shared/clean-text.ts';
import { groupBy } from '../../shared/group-by.ts';
import { firstOf } from '../../shared/invalid-input.ts';
import { quoted } from '../../shared/quote-text.ts';
import { folded, hasWords } from '../../shared/similar-words.ts';
import { timeOf } from '../api-time.ts';
import { applyFilters, filterBy, isAtLeast, isBelow, isSame } from '../period.ts';
import { buyerKey } from '../sales/sold-order.ts';

export type StudentItem = AnswerOf<typeof listStudents>['items'][number];

export interface StudentsReading {
  /** Each once, in the order of the API. */
  readonly students: readonly StudentItem[];
  readonly pagesRead: number;
  readonly pagesLeft: number;
  /** Why students may be missing, other than for lack of requests. */
  readonly problem: string | undefined;
}

/** Somebody in a list. Only the email tells who it is. */
export interface Named {
  readonly email?: string | null | undefined;
  readonly name?: string | null | undefined;
}

/** The people with a name and an email, by folded name; each email once. */
function peopleByName(people: readonly Named[]): Map<string, { email: string; name: string }[]> {
  const named = people.flatMap(({ email, name }) => (email && name && folded(name) !== '' ? [{ email, name }] : []));
  const distinct = new Map(named.map((one) => [`${folded(one.name)} ${buyerKey(one.email)}`, one]));
  return groupBy(distinct.values(), ({ name }) => folded(name));
}

const indexes = new WeakMap<readonly Named[], ReturnType<typeof peopleByName>>();
const mostNamed = 3;

/** The one remark on people of one name: "2 other students are called "Ana Roy": ana@example.com, roy@example.com". */
export function namesakesText({ email, name }: Named, people: readonly Named[]): string | undefined {
  const index = indexes.get(people) ?? peopleByName(people);
  indexes.set(people, index);
  const own = buyerKey(email ?? '');
  const others = (index.get(folded(name ?? '')) ?? []).filter((one) => buyerKey(one.email) !== own);
  if (others.length === 0) return undefined;
  const who = others.length === 1 ? 'another student is' : `${others.length} other students are`;
  const emails = others.map((one) => oneLine(one.email, 254));
  return `${who} called ${quoted(oneLine(name ?? '', 100))}: ${firstOf(emails, mostNamed, ', ')}`;
}

/** The same for a list: "of one name, and different people: "Ana Roy" (2)". */
export function sharedNamesText(people: readonly Named[]): string | undefined {
  const groups = [...peopleByName(people).values()].filter(({ length }) => length > 1);
  const names = groups.map((own) => `${quoted(oneLine(own[0]?.name ?? '', 100))} (${own.length})`);
  return names.length === 0 ? undefined : `of one name, with different emails: ${firstOf(names, mostNamed, ', ')}`;
}

export const studentSorts = ['points', 'joined', 'completion', 'sign_ins', 'name'] as const;
type StudentSort = (typeof studentSorts)[number];

/** A student who lacks a value that a filter needs is left out, and counted. */
export interface StudentFilters {
  /** Words of the name, or parts of them, in any order and case, with or without accents. */
  readonly name?: string | undefined;
  /** Words of the location, such as a country; "none" for students without one. */
  readonly location?: string | undefined;
  readonly is_active?: boolean | undefined;
  readonly min_points?: number | undefined;
  /** ISO 8601; without an offset UTC. */
  readonly joined_after?: string | undefined;
  readonly joined_before?: string | undefined;
}

const joinedAt = ({ created_at }: StudentItem) => timeOf(created_at);

/** The value of `location` that finds students without one. */
export const isNoLocation = (wanted: string) => caseless(wanted) === 'none';

export const lacksLocation = ({ location }: StudentItem) => caseless(location ?? '') === '';

const isAt = (location: string, wanted: string) =>
  isNoLocation(wanted) ? caseless(location) === '' : hasWords(location, wanted);

function filtersFor({ name, location, is_active, min_points, joined_after, joined_before }: StudentFilters) {
  return [
    ...filterBy('name', name, (one: StudentItem) => one.name ?? '', hasWords),
    ...filterBy('location', location, (one: StudentItem) => one.location ?? '', isAt),
    ...filterBy('is_active', is_active, (one: StudentItem) => one.is_active, isSame),
    ...filterBy('points', min_points, (one: StudentItem) => one.points, isAtLeast),
    ...filterBy('created_at', timeOf(joined_after), joinedAt, isAtLeast),
    ...filterBy('created_at', timeOf(joined_before), joinedAt, isBelow),
  ];
}

type Value = string | number;

const values: Record<StudentSort, (student: StudentItem) => Value | undefined> = {
  points: ({ points }) => points,
  joined: joinedAt,
  completion: ({ completion_percent }) => completion_percent,
  sign_ins: ({ sign_in_count }) => sign_in_count,
  name: ({ name }) => (name === undefined ? undefined : caseless(name)),
};

/** The order of students: names from A to Z, everything else highest or newest first. `isReversed`: the other way round. */
export interface StudentOrder {
  readonly sort: StudentSort;
  readonly isReversed: boolean;
}

function compareValues(one: Value, other: Value): number {
  return typeof one === 'string' ? one.localeCompare(String(other)) : Number(other) - one;
}

/** Students without the value come last in both directions. */
function compare({ sort, isReversed }: StudentOrder): (one: StudentItem, other: StudentItem) => number {
  return (one, other) => {
    const [first, second] = [values[sort](one), values[sort](other)];
    if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
    return isReversed ? compareValues(second, first) : compareValues(first, second);
  };
}

/** The students after the first `end` that have the value of the last of these. */
export function tiedAfter(kept: readonly StudentItem[], end: number, { sort }: StudentOrder): number {
  const last = kept[end - 1];
  const value = last && values[sort](last);
  return value === undefined ? 0 : kept.slice(end).filter((one) => values[sort](one) === value).length;
}

/** The students that pass every filter, sorted, and how many lack a value of a filter, by field. */
export function selectStudents(
  students: readonly StudentItem[],
  filters: StudentFilters,
  order: StudentOrder | undefined,
): { kept: StudentItem[]; lacking: Record<string, number> } {
  const { kept, lacking } = applyFilters(students, filtersFor(filters));
  return { kept: order === undefined ? kept : kept.sort(compare(order)), lacking };
}

/** The part of a location after its last comma, such as "Portugal" in "Porto, Portugal"; "" if there is none. */
const countryOf = ({ location }: StudentItem) => location?.split(',').at(-1)?.trim() ?? '';

/** The largest first, as its first student writes it. Spellings that differ in case or accents alone are one country. */
export function countByCountry(students: readonly StudentItem[]) {
  const countries = students.map(countryOf).filter((name) => name !== '');
  const spellings = groupBy(countries, (name) => folded(name) || name);
  const counts = [...spellings.values()].map((own) => ({ country: own[0] ?? '', students: own.length }));
  return counts.sort((one, other) => other.students - one.students || one.country.localeCompare(other.country));
}
