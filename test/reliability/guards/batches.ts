import type { Guard } from './guard.ts';

const bulk = ['test/tools/insights/bulk-enroll-students.test.ts'];
const between = ['test/tools/insights/bulk-enroll-concurrent-changes.test.ts'];
const enrollment = ['test/insights/enrollment/plan.test.ts'];

/** What keeps enrolling many from doing too much, doing it twice, or telling it wrongly. */
export const batchGuards: readonly Guard[] = [
  {
    name: 'enrolling many wants confirm',
    file: 'tools/insights/bulk-enroll-students.ts',
    text: '  consent: true,',
    instead: '',
    tests: bulk,
    only: 'without confirm',
  },
  {
    name: 'who holds it is not enrolled again',
    file: 'src/insights/enrollment/plan.ts',
    text: 'if (Object.keys(due).length === 0)',
    instead: 'if (Object.keys(due).length < 0)',
    tests: enrollment,
  },
  {
    name: 'only what is missing is granted',
    file: 'src/insights/enrollment/plan.ts',
    text: 'course_id === undefined || holdsCourse',
    instead: 'course_id === undefined',
    tests: enrollment,
  },
  {
    name: 'nobody in a list is enrolled twice',
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
    name: 'each of a list is looked up anew when their turn comes',
    file: 'src/workflows/enrollment/student-lookup.ts',
    text: 'await readStudentEvidence(retrying, email)',
    instead: 'await ((readHoldings as any)[email] ??= readStudentEvidence(retrying, email))',
    tests: between,
    only: 'since the plan|while the one before',
  },
  {
    name: 'a look in doubt is not the last before the write',
    file: 'src/workflows/enrollment/enroll-list.ts',
    text: 'isCertain ? startedAt : undefined',
    instead: 'startedAt',
    tests: between,
    only: 'what the confirmed call will cost',
  },
  {
    name: 'an enrollment of which nobody knows is unknown, not failed',
    file: 'src/workflows/enrollment/enroll-list.ts',
    text: "known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed'",
    instead: "known === undefined ? 'unknown' : 'failed'",
    tests: ['test/tools/insights/bulk-enroll-unknown.test.ts'],
    only: 'connection is cut',
  },
  {
    name: 'where the API refuses us altogether, enrolling ends',
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
    name: 'the products of a list are looked up once more before anybody is enrolled',
    file: 'tools/insights/bulk-enroll-students.ts',
    text: 'const titles = await readGrantTitles(grant, students.length, context);\n    const enrollments',
    instead: 'const titles = {};\n    const enrollments',
    tests: bulk,
    only: 'before anybody is looked up',
  },
];
