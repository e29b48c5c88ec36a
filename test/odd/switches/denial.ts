import { ok } from '../academy/call.ts';
import { refusing, refusalWords as words } from './helpers.ts';
import { type Switch, writes } from './switch.ts';

function denial(name: string, says: string, body: unknown): Switch {
  const touched = [...writes, 'sync_roster/confirm', 'apply_course_outline'];
  return {
    name: `denial-${name}`,
    class: 'denial',
    kind: 'open',
    says,
    probes: touched,
    words,
    rules: refusing(() => ok(body)),
  };
}

export const denialSwitches: readonly Switch[] = [
  denial('success', '200 {"success":false,"message":…}', { success: false, message: words }),
  denial('error', '200 {"error":…}', { error: words }),
  denial('status', '200 {"status":"error","message":…}', { status: 'error', message: words }),
  denial('message', '200 {"message":"… could not …"} with a record', {
    id: 9,
    email: 'a@example.com',
    message: `The change could not be made: ${words}`,
  }),
];
