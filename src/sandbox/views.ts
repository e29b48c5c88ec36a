import type * as z from 'zod';
import type { order } from '../contract/orders.ts';
import type { student } from '../contract/students.ts';
import { billingOf, noBilling } from './seed/pick.ts';
import type { Academy } from './state/academy.ts';
import { isoTime, type Records } from './state/collections.ts';
import { totalCompletion } from './state/held-products.ts';
import { isPositive, type OrderRecord } from './state/orders.ts';
import type { StudentRecord } from './state/students.ts';

/** An order in the list, in the response for one order and in the event new_order. */
export function orderBody(academy: Academy, record: OrderRecord): z.infer<typeof order> {
  const { catalogue } = academy;
  return {
    id: record.id,
    amount: record.amount,
    currency: record.currency,
    description: record.description,
    user_email: record.user_email,
    ...userNames(academy.students.get(record.student_id)?.name ?? ''),
    status: record.status,
    affiliate_id: record.affiliate_id,
    courses: withTitles(catalogue.courses, record.courses),
    digital_products: withTitles(catalogue.digitalProducts, record.digital_products),
    bundles: withTitles(catalogue.bundles, record.bundles),
    // Access granted by an admin has no checkout, so no address.
    ...(isPositive(record.amount) ? billingOf(academy.key, record.student_id) : noBilling),
    created_at: isoTime(record.created_at),
    updated_at: isoTime(record.updated_at),
  };
}

function userNames(name: string) {
  const [first = '', ...rest] = name.split(' ');
  return { user_name: name, user_first_name: first, user_last_name: rest.join(' ') };
}

/** Adds the current titles: a renamed course has its new title on old orders too. */
export function withTitles(
  records: Records<{ readonly id: number; title: string }>,
  ids: readonly number[],
): { id: number; title: string }[] {
  return ids.flatMap((id) => {
    const record = records.get(id);
    return record === undefined ? [] : [{ id, title: record.title }];
  });
}

export function studentBody(academy: Academy, record: StudentRecord): z.infer<typeof student> {
  const { paying_student, lesson_views_count, role_ids, ...shown } = record;
  return {
    ...shown,
    created_at: isoTime(record.created_at),
    completion_percent: totalCompletion(academy, record.id),
  };
}

/** The fields of a student in events and contributions. */
export const studentIdentity = ({ id, name, email }: StudentRecord) => ({ id, name, email });
