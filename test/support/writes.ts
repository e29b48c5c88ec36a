import { expect } from 'vitest';
import type { Row } from './academy.ts';
import { connect, type ToolAnswer } from './connect.ts';
import { type Recorded, type Reply, startRecorder } from './recorder.ts';

const email = 'ann@example.com';
const name = 'Ann Lee';

/** A valid call of each tool that writes one record. */
export const writes: readonly { tool: string; args: Row }[] = [
  { tool: 'create_lesson', args: { course_id: 7, title: 'Scales' } },
  { tool: 'update_lesson', args: { lesson_id: 60, title: 'Scales' } },
  { tool: 'update_product', args: { product_type: 'course', id_or_slug: '7', price: '99.00' } },
  { tool: 'create_channel', args: { name: 'Hall' } },
  { tool: 'update_channel', args: { id_or_slug: '21', name: 'Hall' } },
  { tool: 'enroll_student', args: { email, name, course_id: 7 } },
  { tool: 'unenroll_student', args: { email, name, confirm: true } },
  { tool: 'revoke_course', args: { email, name, course_id: 7, confirm: true } },
  { tool: 'revoke_bundle', args: { email, bundle_id: 4, confirm: true } },
  { tool: 'grant_role', args: { email, role_id: 3 } },
  { tool: 'revoke_role', args: { email, role_id: 3, confirm: true } },
  { tool: 'reset_course_progress', args: { email, course_id: 7, confirm: true } },
  { tool: 'reset_bundle_progress', args: { email, bundle_id: 4, confirm: true } },
];

/** One POST of the API only reads. */
export const isWrite = ({ method, path }: Pick<Recorded, 'method' | 'path'>) =>
  method !== 'GET' && !path.endsWith('/completion-percentage');

const absent: Reply = { status: 404, body: { error: 'Record not found', errors: [{ code: 'not_found' }] } };

/** A client of an API that answers every write with `reply`, and reads with `onRead`: by default it shows nothing. */
export async function answering(
  reply: Reply | ((request: Recorded) => Reply),
  onRead: (request: Recorded) => Reply = () => absent,
  settings: Record<string, string> = {},
) {
  const recorder = await startRecorder((request) => {
    if (!isWrite(request)) return onRead(request);
    return typeof reply === 'function' ? reply(request) : reply;
  });
  const environment = { ACADEMY_BASE_URL: recorder.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_PREFLIGHT: 'false' };
  const connection = await connect({ ...environment, ...settings });
  return { ...connection, recorder, writesSent: () => recorder.requests.filter(isWrite).length };
}

/** The outcome of a write that an answer or an error reports. */
export function outcomeOf({ structured, text }: ToolAnswer): unknown {
  return structured?.outcome ?? /^Outcome: (\w+)$/m.exec(text)?.[1];
}

export function expectOutcome(answer: ToolAnswer, outcome: string, what = ''): void {
  expect(outcomeOf(answer), `${what} ${answer.text}`).toBe(outcome);
}
