import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files of a project run one after the other: a worker that starts on another project imports everything again. */
const projects = ['reliability', 'e2e', 'integration', 'unit'];

/** Files that take seconds, the longest first: started last, they would run alone at the end. */
const long = [
  'store',
  'engine',
  'f14-canaries',
  'bulk-enroll-limits',
  'f1-faults',
  'isolation',
  'write-outcome',
  'plain-speech',
  'f3-protocol',
  'suite',
  'requests-to-api',
  'f6-foreign',
  'mirror',
  'f22-mirror',
  'export-data',
  'export-tools',
  'export-links',
  'data-questions',
  'data',
  'pace',
  'limiter',
  'connections',
  'caller-isolation',
  'init',
  'data-leaks',
  'f13-clean-ends',
  'f5-use',
  'stdio',
  'endless-pages',
  'f2-bad-inputs',
  'audit',
  'outline-limits',
  'completion',
  'outgoing-proxy',
  'f19-attacks',
  'demo',
  'install-links',
  'unreadable',
  'resources',
  'package-bundle',
  'views',
  'views-without-apps',
  'demo-open',
  'write',
  'docs',
  'bulk-enroll-consent',
  'start',
  'caller-limits',
  'answer-limits',
  'oauth-providers',
  'f16-guards',
  'progress',
  'package',
  'f7-writes',
  'odd',
  'commands',
  'community-digest',
  'f11-overload',
  'docker',
  'f8-kill',
  'webhooks',
  'licences',
  'strategies',
  'f12-soak',
  'rate-limit',
  'progress-notifications',
  'init-dialogue',
  'f15-injection',
  'f10-load',
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
