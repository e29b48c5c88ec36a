/**
 * Files that take long and rarely fail: installing, packaging, other programs, load with events, filling a mirror, many
 * connections. `npm test` leaves them to `npm run test:extra`, which runs every file.
 */
export const longFiles = [
  'test/accounts/{events,isolation}.test.ts',
  'test/deploy/docker.test.ts',
  'test/docs/data-questions.test.ts',
  'test/e2e/{audit,demo-open,events,init,init-dialogue,mirror,mirror-waiting,package,package-bundle,plain-speech,stored-list,unreadable}.test.ts',
  'test/e2e/eras/{resources,suite,views}.test.ts',
  'test/events/{checks,watching,webhooks}.test.ts',
  'test/mirror/*.test.ts',
  'test/odd/odd.test.ts',
  'test/sandbox/webhooks.test.ts',
  'test/scripts/{commands,install-links,licences}.test.ts',
  'test/security/{caller-isolation,connections,data-leaks,long-texts}.test.ts',
  'test/server/http/outgoing-proxy.test.ts',
  'test/tools/courses/outline-limits.test.ts',
  'test/tools/{cursor-length,export-data,export-links,export-tools,table-columns,text-form}.test.ts',
  'test/tools/insights/{bulk-enroll-limits,community-digest,endless-pages,generated-orders,requests-allowed}.test.ts',
];
