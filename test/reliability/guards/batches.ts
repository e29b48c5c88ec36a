import type { Guard } from './guard.ts';

const bulk = ['test/tools/insights/bulk-enroll-students.test.ts'];
const between = ['test/tools/insights/bulk-enroll-concurrent-changes.test.ts'];
const enrollment = ['test/insights/enrollment/plan.test.ts'];

/** Bulk enrollment does not do too much, do it twice, or report it wrongly. */
export const batchGuards: readonly Guard[] = [
  {
    name: 'bulk enrollment requires confirm',
    file: 'tools/insights/bulk-enroll-students.ts',
    text: '  consent: true,',
    instead: '',
    tests: bulk,
    only: 'without confirm',
  },
  {
    name: 'a student who already has access is not enrolled again',
    file: 'src/insights/enrollment/plan.ts',
    text: 'if (Object.keys(due).length === 0)',
    instead: 'if (Object.keys(due).length < 0)',
    tests: enrollment,
  },
  {
    name: 'only missing access is granted',
    file: 'src/insights/enrollment/plan.ts',
    text: 'course_id === undefined || holdsCourse',
    instead: 'course_id === undefined',
    tests: enrollment,
  },
  {
    name: 'a duplicate in a list is enrolled once',
    file: 'src/insights/enrollment/plan.ts',
    text: 'const isDuplicate = seen.has(key);',
    instead: 'const isDuplicate = seen.size < 0;',
    tests: enrollment,
  },
  {
    name: 'a new student without a name is refused',
    file: 'src/insights/enrollment/plan.ts',
    text: 'if (name === undefined)',
    instead: "if (name === '')",
    tests: enrollment,
  },
  {
    name: 'each student of a list is looked up again immediately before the write',
    file: 'src/workflows/enrollment/student-lookup.ts',
    text: 'await readStudentEvidence(email, { api: retrying, recentGrants })',
    instead: 'await ((readHoldings as any)[email] ??= readStudentEvidence(email, { api: retrying, recentGrants }))',
    tests: between,
    only: 'since the plan|while the one before',
  },
  {
    name: 'an uncertain look-up is repeated before the write',
    file: 'src/workflows/enrollment/enroll-list.ts',
    text: 'isCertain ? startedAt : undefined',
    instead: 'startedAt',
    tests: ['test/tools/insights/enrollment-holdings.test.ts'],
    only: 'a doubtful student',
  },
  {
    name: 'an enrollment with an unknown outcome is unknown, not failed',
    file: 'src/workflows/enrollment/enroll-list.ts',
    text: "known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed'",
    instead: "known === undefined ? 'unknown' : 'failed'",
    tests: ['test/tools/insights/bulk-enroll-unknown.test.ts'],
    only: 'connection is cut',
  },
  {
    name: 'bulk enrollment stops if the API refuses every request',
    file: 'src/workflows/enrollment/enroll-list.ts',
    text: 'known !== undefined && stopsAll.has(known.code)',
    instead: 'false',
    tests: bulk,
  },
  {
    name: 'the products of a list are looked up before its students',
    file: 'tools/insights/bulk-enroll-students.ts',
    text: 'const titles = await readGrantTitles(grant, students.length, context);\n    const lookup',
    instead: 'const titles = {};\n    const lookup',
    tests: bulk,
    only: 'before anybody is looked up',
  },
  {
    name: 'the products of a list are looked up again before the first enrollment',
    file: 'tools/insights/bulk-enroll-students.ts',
    text: 'const titles = await readGrantTitles(grant, people.length, context);\n    const enrollments',
    instead: 'const titles = {};\n    const enrollments',
    tests: bulk,
    only: 'before anybody is looked up',
  },
];
