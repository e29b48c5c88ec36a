import type { Guard } from './guard.ts';

const bulk = ['test/tools/insights/bulk-enroll-students.test.ts'];
const enrolment = ['test/insights/enrolment.test.ts'];
const outline = ['test/tools/courses/outline.test.ts'];

/** What keeps a write of many parts from doing too much, doing it twice, or telling it wrongly. */
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
    file: 'src/insights/enrolment.ts',
    text: 'if (Object.keys(due).length === 0)',
    instead: 'if (Object.keys(due).length < 0)',
    tests: enrolment,
  },
  {
    name: 'only what is missing is granted',
    file: 'src/insights/enrolment.ts',
    text: 'course_id === undefined || holdsCourse',
    instead: 'course_id === undefined',
    tests: enrolment,
  },
  {
    name: 'nobody in a list is enrolled twice',
    file: 'src/insights/enrolment.ts',
    text: 'if (seen.has(key))',
    instead: 'if (seen.size < 0)',
    tests: enrolment,
  },
  {
    name: 'a new student without a name is refused',
    file: 'src/insights/enrolment.ts',
    text: 'if (name === undefined)',
    instead: "if (name === '')",
    tests: enrolment,
  },
  {
    name: 'what a plan looked up is used once',
    file: 'tools/insights/bulk-enroll-students.ts',
    text: 'context.jobs.rosters.drop(rosterKey(asked));',
    instead: '',
    tests: [...bulk, 'test/tools/insights/bulk-enroll-consent.test.ts'],
  },
  {
    name: 'an enrolment of which nobody knows is unknown, not failed',
    file: 'src/mcp/enroll-each.ts',
    text: "known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed'",
    instead: "known === undefined ? 'unknown' : 'failed'",
    tests: bulk,
    only: 'connection that is cut',
  },
  {
    name: 'where the API refuses us altogether, enrolling ends',
    file: 'src/mcp/enroll-each.ts',
    text: 'known !== undefined && endsAll.has(known.code)',
    instead: 'false',
    tests: bulk,
  },
  {
    name: 'the products of a list are looked up before its students',
    file: 'tools/insights/bulk-enroll-students.ts',
    text: 'await checkProducts(asked, context);\n    const roster',
    instead: 'const roster',
    tests: bulk,
    only: 'before anybody is looked up',
  },
  {
    name: 'applying an outline wants confirm',
    file: 'tools/courses/apply-course-outline.ts',
    text: '  consent: true,',
    instead: '',
    tests: outline,
    only: 'without confirm',
  },
  {
    name: 'a course that changed since the plan is not written',
    file: 'src/mcp/course-plan.ts',
    text: 'if (baseVersion !== undefined && baseVersion !== version)',
    instead: "if (baseVersion === '')",
    tests: outline,
    only: 'stale version|changed between',
  },
  {
    name: 'titles are part of the version of a course',
    file: 'src/insights/outline/version.ts',
    text: 'title ?? null, sequence ?? null,',
    instead: 'sequence ?? null,',
    tests: ['test/insights/outline/course.test.ts'],
  },
  {
    name: 'an outline has every lesson once',
    file: 'src/insights/outline/target.ts',
    text: "refuse('outline', outlineProblems(course, outline));",
    instead: '',
    tests: ['test/insights/outline/target.test.ts'],
  },
  {
    name: 'after a lesson that could not be written none is written',
    file: 'src/mcp/course-apply.ts',
    text: 'if (failure !== undefined || seen === undefined)',
    instead: 'if (seen === undefined)',
    tests: outline,
    only: 'fault midway',
  },
  {
    name: 'what an outline changed comes back with its undoing',
    file: 'src/insights/outline/report.ts',
    text: 'outline: outlineOf(presentTarget(before)), lessons }',
    instead: 'outline: outlineOf(presentTarget(before)), lessons: [] }',
    tests: outline,
    only: 'come back with the undoing',
  },
  {
    name: 'undoing restores what was before, not what was asked for',
    file: 'tools/courses/outline-facts.ts',
    text: '= undoOf(plan.course, plan.changes);',
    instead: '= { outline: outlineOf(plan.target), lessons: undoOf(plan.course, plan.changes).lessons };',
    tests: outline,
    only: 'applied, verified and undone',
  },
];
