import { notFound } from '../../handler.ts';
import type { Academy } from '../../state/academy.ts';
import type { BundleRecord, CourseRecord, RoleRecord } from '../../state/catalogue.ts';
import type { ChannelRecord } from '../../state/community.ts';
import { findByIdOrSlug } from '../../state/records.ts';
import type { StudentRecord } from '../../state/students.ts';
import type { Window } from '../../state/timeline.ts';

// Each returns the record or throws a 404.

function found<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw notFound(what);
  return row;
}

export function requireCourse({ catalogue }: Academy, id: number): CourseRecord {
  return found(catalogue.courses.get(id), 'Course');
}

export function requireBundle({ catalogue }: Academy, id: number): BundleRecord {
  return found(catalogue.bundles.get(id), 'Bundle');
}

export function requireRole({ catalogue }: Academy, id: number): RoleRecord {
  return found(catalogue.roles.get(id), 'Role');
}

export function requireStudent({ students }: Academy, email: string): StudentRecord {
  return found(students.withEmail(email), 'Student');
}

export function requireChannel({ community }: Academy, idOrSlug: string): ChannelRecord {
  return found(findByIdOrSlug(community.channels, idOrSlug), 'Channel');
}

/** The type of an update without undefined fields: TypeScript cannot know that JSON has none. */
type DefinedFields<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

export function definedFields<Fields extends object>(fields: Fields): DefinedFields<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as DefinedFields<Fields>;
}

/** Whether one of the texts contains the query, ignoring case. Every text contains an empty query. */
export function contains(query: string, ...texts: readonly string[]): boolean {
  const wanted = query.trim().toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** The rows of a page. Pages count from 1. */
export function windowOf(page: number, perPage: number): Window {
  return { skip: (page - 1) * perPage, take: perPage };
}

/** 0 if there are no rows. */
export function pagesOf(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}
