import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files of a project run one after the other: a worker that starts on another project imports everything again. */
const projects = ['reliability', 'e2e', 'integration', 'unit'];

/** Files that take seconds, the longest first: started last, they would run alone at the end. */
const long = [
  'f6-foreign',
  'f1-faults',
  'f5-use',
  'f14-canaries',
  'f3-protocol',
  'f13-clean-ends',
  'f7-writes',
  'progress',
  'suite',
  'resources',
  'bulk-enroll-limits',
  'endless-pages',
  'outline-size',
  'limiter',
  'plain-speech',
  'init-dialogue',
  'init',
  'connections',
  'community-digest',
  'text-form',
  'caller-isolation',
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
