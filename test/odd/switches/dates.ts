import { iso, type Json } from '../academy/state.ts';
import { bounded, type Switch } from './switch.ts';

const probes = [
  'find_buyers',
  ...bounded,
  'list_orders',
  'get_order',
  'community_digest/week',
  'search_posts/window',
  'course_progress',
  'student_profile/many',
  'diagnose_access/bundle',
];
const hour = 3_600_000;

/** Writes every time of orders and posts in this form. */
function dates(name: string, kind: Switch['kind'], says: string, write: (at: number) => unknown): Switch {
  const rewrite = (shown: Json) => ({
    ...shown,
    created_at: write(Date.parse(String(shown.created_at))),
    updated_at: write(Date.parse(String(shown.updated_at))),
  });
  return { name: `dates-${name}`, class: 'dates', kind, says, probes, rules: { order: rewrite, post: rewrite } };
}

export const dateSwitches: readonly Switch[] = [
  dates('no-zone', 'open', '2026-11-15T10:00:00', (at) => iso(at).slice(0, 19)),
  dates('offset', 'open', '2026-11-15T12:00:00+02:00', (at) => `${iso(at + 2 * hour).slice(0, 19)}+02:00`),
  dates('some-null', 'departs', 'null for every fourth time', (at) =>
    Math.floor(at / 1000) % 4 === 0 ? null : iso(at),
  ),
];
