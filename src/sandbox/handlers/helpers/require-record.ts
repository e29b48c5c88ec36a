import { notFound } from '../../error-response.ts';
import type { Academy } from '../../state/academy.ts';
import type { BundleRecord, CourseRecord, RoleRecord } from '../../state/catalogue.ts';
import type { ChannelRecord } from '../../state/community.ts';
import { findByIdOrSlug } from '../../state/records.ts';
import type { StudentRecord } from '../../state/students.ts';

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
