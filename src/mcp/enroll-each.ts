import { patiently } from '../api/patiently.ts';
import { enrollStudent } from '../contract/access.ts';
import { AcademyError, type ErrorCode } from '../errors.ts';
import type { Step } from '../insights/enrolment.ts';
import { waitTeller } from './roster.ts';
import type { ToolContext } from './tool.ts';

export type EnrolmentState = 'applied' | 'skipped' | 'failed' | 'unknown' | 'not_started';

export interface Enrolment {
  readonly email: string;
  readonly state: EnrolmentState;
  readonly why?: string | undefined;
}

/** After these the next student would fare no better. */
const endsAll: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden', 'cancelled']);

function failureOf(error: unknown, isCancelled: boolean): Omit<Enrolment, 'email'> & { isLast: boolean } {
  const known = error instanceof AcademyError ? error : undefined;
  if (known === undefined && !isCancelled) throw error;
  const why = known === undefined ? 'cancelled' : `${known.code}: ${known.message}`;
  if (isCancelled && known?.outcome !== 'outcome_unknown') return { state: 'not_started', why, isLast: true };
  const state = known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed';
  return { state, why, isLast: known !== undefined && endsAll.has(known.code) };
}

/**
 * Enrolls one after the other by the same way as enroll_student, and tells of each. Ends between two students when the
 * call is cancelled, or when the API refuses us altogether; who was not reached is `not_started`.
 */
export async function enrollEach(steps: readonly Step[], context: ToolContext): Promise<Enrolment[]> {
  const { api, signal, progress } = context;
  const done: Enrolment[] = [];
  let isOver = false;

  async function enroll({ person, grant }: Step & { do: 'enroll' }): Promise<void> {
    let wasThere = false;
    const onNote = ({ sent }: { sent: boolean }) => {
      wasThere ||= !sent;
    };
    try {
      const patience = waitTeller(context, () => done.length, steps.length);
      await patiently(() => api.call(enrollStudent, { ...person, ...grant }, { onNote }), patience);
      const skipped = { email: person.email, state: 'skipped', why: 'was granted it a moment ago' } as const;
      done.push(wasThere ? skipped : { email: person.email, state: 'applied' });
    } catch (error) {
      const { isLast, ...failure } = failureOf(error, signal.aborted);
      isOver = isLast;
      done.push({ email: person.email, ...failure });
    }
  }

  for (const step of steps) {
    const { email } = step.person;
    if (step.do !== 'enroll') done.push({ email, state: step.do === 'skip' ? 'skipped' : 'failed', why: step.why });
    else if (isOver || signal.aborted) done.push({ email, state: 'not_started' });
    else await enroll(step);
    progress(done.length, steps.length, `${done.length} of ${steps.length} students`);
  }
  return done;
}
