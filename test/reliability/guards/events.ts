import type { Guard } from './guard.ts';

const webhooks = ['test/events/webhooks.test.ts'];
const checks = ['test/events/checks.test.ts'];
const store = ['test/events/store.test.ts'];

/** A webhook event is a hint from anyone who knows its address. */
export const eventGuards: readonly Guard[] = [
  {
    name: 'a webhook address without the right secret does not exist',
    file: 'src/events/webhook-address.ts',
    text: '!isRight || ',
    instead: '',
    tests: webhooks,
    only: 'wrong secret',
  },
  {
    name: 'the log does not show the path of a webhook, which has the secret',
    file: 'src/server/http/routes.ts',
    text: 'route.label ?? path',
    instead: 'path',
    tests: webhooks,
    only: 'in no log line',
  },
  {
    name: 'an event has at most 64 KiB',
    file: 'src/server/http/webhook-routes.ts',
    text: 'const maxBody = 64 * 1024;',
    instead: 'const maxBody = 1024 * 1024;',
    tests: webhooks,
    only: '64 KiB',
  },
  {
    name: 'a payload that the check could not use is refused',
    file: 'src/server/http/webhook-routes.ts',
    text: 'if (claims === undefined) return invalid;',
    instead: 'if (claims === undefined) return undefined;',
    tests: webhooks,
    only: 'payload of the event',
  },
  {
    name: 'an event is verified only if the API shows the same student',
    file: 'src/events/lookup.ts',
    text: 'String(claims.id) !== String(student.id)',
    instead: 'false',
    tests: checks,
    only: 'contradicts',
  },
  {
    name: 'an event that the API does not have is not shown',
    file: 'src/workflows/events/select-events.ts',
    text: "if (stateOf(received) === 'discarded') return false;",
    instead: '',
    tests: checks,
    only: 'discarded',
  },
  {
    name: 'what a sender claims is fenced',
    file: 'tools/insights/list-recent-events-result.ts',
    text: 'untrusted: claimedFields(received) };',
    instead: '...claimedFields(received) };',
    tests: checks,
    only: 'fenced',
  },
  {
    name: 'checks of events use at most a tenth of the limit',
    file: 'src/events/allowance.ts',
    text: 'const part = 0.1;',
    instead: 'const part = 1;',
    tests: checks,
    only: 'a tenth of the limit',
  },
  {
    name: 'events count as text of members',
    file: 'tools/insights/list-recent-events.ts',
    text: 'carriesUserContent: true',
    instead: 'carriesUserContent: false',
    tests: checks,
    only: 'lockdown',
  },
  {
    name: 'an events file behind a symbolic link is not read',
    file: 'src/events/event-feed.ts',
    text: '  checkPrivateFile(file, setting);\n',
    instead: '',
    tests: store,
    only: 'symbolic link',
  },
  {
    name: 'the events of one account are not shown with another',
    file: 'src/events/event-index.ts',
    text: 'if (line.account !== account) return undefined;',
    instead: '',
    tests: store,
    only: 'one account',
  },
  {
    name: 'a new event does not continue a line that a crash cut',
    file: 'src/events/event-writer.ts',
    text: "endsWithLine(descriptor) ? '' : '\\n'",
    instead: "''",
    tests: store,
    only: 'a crash cut',
  },
  {
    name: 'the sender hears that an event is stored only when it is',
    file: 'src/events/event-inbox.ts',
    text: 'await stored.finally(() => storing.delete(key));',
    instead: 'void stored.finally(() => storing.delete(key)).catch(() => {});',
    tests: store,
    only: 'cannot be stored',
  },
];
