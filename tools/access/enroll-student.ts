import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { called } from '../../src/mcp/titles.ts';
import type { Titles } from '../../src/mcp/tool.ts';
import { accessOutput, presentAccess } from './access-answer.ts';

interface Granted {
  course_id?: number | undefined;
  bundle_id?: number | undefined;
}

/** `course 7 "Ink" and bundle 2 "All"`, or undefined. */
function grantedTo({ course_id, bundle_id }: Granted, titles: Titles): string | undefined {
  const products = [
    ...(course_id === undefined ? [] : [called('course', course_id, titles.course_id)]),
    ...(bundle_id === undefined ? [] : [called('bundle', bundle_id, titles.bundle_id)]),
  ];
  return products.length > 0 ? products.join(' and ') : undefined;
}

export const enrollStudent = defineApiTool({
  name: 'enroll_student',
  toolset: 'access',
  title: 'Enroll a student',
  description:
    'Gives a student a course, a bundle or both, each as a new paid order of amount 0; creates the student when the email is new. Without either only the student is written. Orders cannot be deleted; an equal grant of the last 10 minutes is not repeated. revoke_course and revoke_bundle take it back. Three requests, and one a product.',
  operation: access.enrollStudent,
  output: accessOutput('course_id', 'bundle_id', 'note'),
  present: (answer, { email, course_id, bundle_id }, titles) => {
    const products = grantedTo({ course_id, bundle_id }, titles);
    const note =
      products === undefined
        ? 'no access was given: only the student was created or updated, as no course or bundle was named'
        : 'given as new paid orders of amount 0, one for each';
    const summary = products === undefined ? `Created or updated ${email}.` : `Gave ${products} to ${email}.`;
    return presentAccess(summary, { email, course_id, bundle_id, note }, answer);
  },
});
