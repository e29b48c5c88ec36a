import { failure, html } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import { boundSwitches, clockSwitches } from './bounds.ts';
import { detailSwitches } from './details.ts';
import { elementSwitches } from './elements.ts';
import { isWrite } from './helpers.ts';
import { notFoundSwitches } from './not-found.ts';
import { pagingSwitches } from './paging.ts';
import { strangeSwitches } from './strange.ts';
import type { Switch } from './switch.ts';

// Two switches together: mostly a write with an unknown outcome, and a difference that hides its effect from reads.

const known = [
  ...elementSwitches,
  ...detailSwitches,
  ...notFoundSwitches,
  ...clockSwitches,
  ...boundSwitches,
  ...pagingSwitches,
  ...strangeSwitches,
];

function named(name: string): Switch {
  const found = known.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no switch is called ${name}`);
  return found;
}

const lost: Rules = {
  before: (call) => (isWrite(call) ? failure(500, 'internal', 'Something went wrong') : undefined),
};
const lostDone: Rules = {
  after: (reply, call) => (isWrite(call) && reply.status < 300 ? html(502, '<html></html>') : reply),
};

/** The hooks of both switches, one after the other; for `within` and similar rules, those of the second. */
function merged(one: Rules, other: Rules): Rules {
  const { before, after } = one;
  return {
    ...one,
    ...other,
    before: (call, academy) => before?.(call, academy) ?? other.before?.(call, academy),
    after: (reply, call, academy) => {
      const first = after?.(reply, call, academy) ?? reply;
      return other.after?.(first, call, academy) ?? first;
    },
  };
}

function combined(write: 'nothing' | 'done', other: string, probes: readonly string[]): Switch {
  const { kind, says, rules } = named(other);
  const first =
    write === 'done'
      ? { says: 'every write is done and answered with 502', rules: lostDone }
      : { says: 'every write is answered with 500 and not done', rules: lost };
  return {
    name: `500-${write}+${other}`,
    class: 'combined',
    kind,
    says: `${first.says}; ${says}`,
    probes,
    rules: merged(first.rules, rules),
  };
}

const grants = ['enroll_student/new', 'enroll_student/known', 'enroll_student/bundle', 'enroll_student/twice'];
const revokes = ['revoke_course', 'revoke_bundle'];
const hiding = [
  'elements-own-id-name',
  'elements-pivot',
  'elements-absent',
  'details-course-rows',
  'details-attributes-only',
  'details-orders-missing',
  'details-endpoint',
  'details-empty',
  'clock-behind',
  'clock-ahead',
  'bounds-day',
  'paging-beyond-404',
  'paging-page-ignored',
];

export const combinedSwitches: readonly Switch[] = hiding.flatMap((name) => [
  combined('nothing', name, [...grants, ...revokes]),
  combined('done', name, [...grants, ...revokes]),
]);
