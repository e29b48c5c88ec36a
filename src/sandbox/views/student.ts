import type * as z from 'zod';
import type { student } from '../../contract/students.ts';
import type { Academy } from '../state/academy.ts';
import { totalCompletion } from '../state/held-products.ts';
import type { StudentRecord } from '../state/students.ts';
import { isoTime } from '../state/timeline.ts';

type StudentBody = z.infer<typeof student>;

export function studentBody(academy: Academy, record: StudentRecord): StudentBody {
  return {
    id: record.id,
    name: record.name,
    email: record.email,
    created_at: isoTime(record.created_at),
    location: record.location,
    facebook_link: record.facebook_link,
    twitter_link: record.twitter_link,
    enrolled: record.enrolled,
    admin: record.admin,
    is_active: record.is_active,
    sign_in_count: record.sign_in_count,
    points: record.points,
    completion_percent: totalCompletion(academy, record.id),
  };
}

/** The fields of a student in events and contributions. */
export function studentIdentity({ id, name, email }: StudentRecord) {
  return { id, name, email };
}
