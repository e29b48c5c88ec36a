import type { ToolAnswer } from '../../../reliability/tool-answer.ts';
import { persons } from '../../academy/orders-data.ts';
import { must, type State, sameEmail } from '../../academy/state.ts';
import type { Probe, Rig } from '../probe.ts';
import { type Judged, judgeError, right, told, wrong } from '../verdict.ts';

type Args = Record<string, unknown>;

interface Deed {
  readonly tool: string;
  readonly args: Args;
  /** How often it has happened. */
  times(state: State): number;
  /** What is asked for is there before. */
  readonly isThere?: boolean;
}

export const claimOf = ({ data, text }: ToolAnswer): string | undefined => {
  const said = data?.outcome ?? /^Outcome: (\w+)/m.exec(text)?.[1];
  return typeof said === 'string' ? said : undefined;
};

/** Holds what is said of a write to what has become of it. */
export function judgeClaim(rig: Rig, answer: ToolAnswer, times: number, isThere: boolean): Judged {
  const claim = claimOf(answer);
  if (times > 1) return wrong(`done ${times} times`);
  const did = times === 1;
  if (claim === 'outcome_unknown')
    return rig.terms.kind === 'fine' ? { verdict: 'worse', why: 'unknown' } : saidWhy(rig, answer, told('unknown'));
  if (claim === 'applied' || claim === 'already_there') {
    if (did || (isThere && claim === 'already_there')) return right;
    return rig.terms.trusts
      ? { verdict: 'trusted', why: `${claim}, as the API said` }
      : wrong(`${claim}, which did not happen`);
  }
  if (claim === 'not_applied') {
    if (did) return wrong('not_applied, which did happen');
    return saidWhy(rig, answer, isThere ? told('nothing done') : right);
  }
  return wrong(`says nothing of its outcome: ${answer.text.split('\n')[0]}`);
}

/** The API's reason must be passed on, and no other invented. */
function saidWhy(rig: Rig, answer: ToolAnswer, otherwise: Judged): Judged {
  if (answer.code === 'ok') return otherwise;
  const judged = judgeError(answer, rig.terms);
  return judged.verdict === 'WRONG' ? judged : rig.terms.kind === 'fine' ? judged : otherwise;
}

async function judgeDeed(rig: Rig, { tool, args, times, isThere = false }: Deed): Promise<Judged> {
  const { state } = rig.academy;
  const before = times(state);
  const answer = await rig.call(tool, args);
  rig.academy.settle();
  return judgeClaim(rig, answer, times(state) - before, isThere);
}

/** Orders of a student. */
export const orderCount = (email: string) => (state: State) =>
  state.orders.filter((order) => sameEmail(order.email, email) && order.at > 0).length;

/** One that can happen once: 1 as soon as it has. */
const once = (has: (state: State) => boolean) => (state: State) => (has(state) ? 1 : 0);

function studentIn(state: State, email: string) {
  return must(
    state.students.find((student) => sameEmail(student.email, email)),
    email,
  );
}

/** Somebody whom the academy does not know. */
export const fresh = 'fresh.face@example.com';

function deed(name: string, deedOf: (rig: Rig) => Deed): Probe {
  return { name, judge: (rig) => judgeDeed(rig, deedOf(rig)) };
}

const holdsOrder = (state: State, student: number, kind: 'courses' | 'bundles', id: number) =>
  state.orders.some((order) => order.student === student && order[kind].includes(id));

export const writeProbes: readonly Probe[] = [
  deed('enroll_student/new', () => ({
    tool: 'enroll_student',
    args: { email: fresh, name: 'Fresh Face', course_id: 16 },
    times: orderCount(fresh),
  })),
  deed('enroll_student/known', ({ email }) => ({
    tool: 'enroll_student',
    args: { email: email(persons.stranger), course_id: 16 },
    times: orderCount(email(persons.stranger)),
  })),
  deed('enroll_student/bundle', ({ email }) => ({
    tool: 'enroll_student',
    args: { email: email(persons.stranger), bundle_id: 32 },
    times: orderCount(email(persons.stranger)),
  })),
  {
    name: 'enroll_student/holder',
    judge: async (rig) => {
      const email = rig.email(persons.buyer);
      const before = orderCount(email)(rig.academy.state);
      const answer = await rig.call('enroll_student', { email, course_id: 11 });
      rig.academy.settle();
      const more = orderCount(email)(rig.academy.state) - before;
      const sent = rig.academy.log.filter(({ route }) => route === 'student.enroll').length;
      if (more > 0 || sent > 0) return wrong('a grant is sent to one who holds the course');
      const claim = claimOf(answer);
      if (claim === 'already_there') return right;
      return claim === 'applied' ? wrong('applied, though nothing was sent') : told(claim);
    },
  },
  {
    name: 'enroll_student/twice',
    judge: async (rig) => {
      const args = { email: rig.email(persons.stranger), course_id: 16 };
      await rig.call('enroll_student', args);
      rig.academy.settle();
      const there = orderCount(args.email)(rig.academy.state);
      const answer = await rig.call('enroll_student', args);
      rig.academy.settle();
      const after = orderCount(args.email)(rig.academy.state);
      if (after > 1) return wrong('granted twice');
      if (after === 1 && there === 1 && claimOf(answer) === 'applied') return right;
      return judgeClaim(rig, answer, after - there, there === 1);
    },
  },
  deed('unenroll_student', ({ email }) => ({
    tool: 'unenroll_student',
    args: { email: email(persons.buyer), name: 'Ben Brandt', confirm: true },
    times: once((state) => !studentIn(state, email(persons.buyer)).paying),
  })),
  deed('revoke_course', ({ email }) => ({
    tool: 'revoke_course',
    args: { email: email(persons.buyer), name: 'Ben Brandt', course_id: 11, confirm: true },
    times: once((state) => !holdsOrder(state, persons.buyer, 'courses', 11)),
  })),
  deed('revoke_bundle', ({ email }) => ({
    tool: 'revoke_bundle',
    args: { email: email(persons.bundleBuyer), bundle_id: 31, confirm: true },
    times: once((state) => !holdsOrder(state, persons.bundleBuyer, 'bundles', 31)),
  })),
  deed('grant_role', ({ email }) => ({
    tool: 'grant_role',
    args: { email: email(persons.buyer), role_id: 1 },
    times: once((state) => studentIn(state, email(persons.buyer)).roles.has(1)),
  })),
  deed('revoke_role', ({ email }) => ({
    tool: 'revoke_role',
    args: { email: email(persons.buyer), role_id: 2, confirm: true },
    times: once((state) => !studentIn(state, email(persons.buyer)).roles.has(2)),
  })),
  deed('reset_course_progress', (rig) => {
    const { email } = finisher(rig);
    return {
      tool: 'reset_course_progress',
      args: { email, course_id: 11, confirm: true },
      times: once((state) => studentIn(state, email).percents.get(11) === 0),
    };
  }),
  deed('reset_bundle_progress', (rig) => {
    const { email } = finisher(rig);
    return {
      tool: 'reset_bundle_progress',
      args: { email, bundle_id: 32, confirm: true },
      times: once((state) => studentIn(state, email).percents.get(11) === 0),
    };
  }),
  deed('create_lesson', () => ({
    tool: 'create_lesson',
    args: { course_id: 11, title: 'A lesson like no other', module_id: 202 },
    times: ({ lessons }) => lessons.filter(({ fields }) => fields.title === 'A lesson like no other').length,
  })),
  deed('create_channel', () => ({
    tool: 'create_channel',
    args: { name: 'Unheard Of' },
    times: ({ channels }) => channels.filter(({ fields }) => fields.name === 'Unheard Of').length,
  })),
];

function finisher({ academy }: Rig) {
  return must(
    academy.state.students.find(({ percents }) => percents.get(11) === 100),
    'student who has finished course 11',
  );
}

/** Fields of one record before and after, and what an answer says that it changed. */
