import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A project's files follow each other, since a worker that goes on to another project imports everything again. */
const projects = ['reliability', 'e2e', 'integration', 'unit'];

/** Files that take seconds, the longest first: begun last, they would run alone at the end. */
const long = [
  'f6-foreign',
  'f1-faults',
  'f3-protocol',
  'f12-soak',
  'f5-use',
  'f13-clean-ends',
  'f7-writes',
  'progress',
  'odd',
  'suite',
  'resources',
  'connections',
  'bulk-enroll-limits',
  'limiter',
  'callers',
  'completion',
  'outline-limits',
  'docs',
  'writes',
  'bulk-enroll-consent',
  'reach',
];

function rankOf({ moduleId, project }: TestSpecification): number {
  const name = /([^/\\]+)\.test\.ts$/.exec(moduleId)?.[1] ?? '';
  const place = long.indexOf(name);
  return projects.indexOf(project.name) * (long.length + 1) + (place < 0 ? long.length : place);
}

/** Orders test files by project and then by how long they take. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
