import type { Grant } from '../../insights/enrollment/plan.ts';
import { called } from '../../mcp/titles.ts';
import type { Titles } from '../../mcp/tool.ts';

/** `course 7 "Ink" and bundle 2 "All"`; without titles the ids alone. Empty for an empty grant. */
export function grantText({ course_id, bundle_id }: Grant, titles: Titles = {}): string {
  const parts = [
    ...(course_id === undefined ? [] : [called('course', course_id, titles.course_id)]),
    ...(bundle_id === undefined ? [] : [called('bundle', bundle_id, titles.bundle_id)]),
  ];
  return parts.join(' and ');
}
