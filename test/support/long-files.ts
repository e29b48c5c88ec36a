/**
 * Files that take long and rarely fail: installing, packaging, other programs, load with events. `npm test` leaves them to
 * `npm run test:extra`, which runs every file.
 */
export const longFiles = [
  'test/accounts/{events,isolation}.test.ts',
  'test/deploy/docker.test.ts',
  'test/e2e/{audit,events,init,init-dialogue,mirror-waiting,package-bundle,plain-speech,unreadable}.test.ts',
  'test/e2e/eras/suite.test.ts',
  'test/events/{checks,watching,webhooks}.test.ts',
  'test/mirror/{accounts,damaged-answer,damaged-file,events,own-writes,pace,same-answers,source,store}.test.ts',
  'test/odd/odd.test.ts',
  'test/sandbox/webhooks.test.ts',
  'test/scripts/{commands,install-links,licences}.test.ts',
  'test/server/http/outgoing-proxy.test.ts',
  'test/tools/insights/generated-orders.test.ts',
];
