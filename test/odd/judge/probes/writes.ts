import type { ToolAnswer } from '../../../reliability/tool-answer.ts';
import { persons } from '../../academy/orders-data.ts';
import { must, type State, sameEmail } from '../../academy/state.ts';
import type { Probe, Rig } from '../probe.ts';
import { type Judged, judgeError, record, right, told, wrong } from '../verdict.ts';

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

const orderCount = (email: string) => (state: State) =>
  state.orders.filter((order) => sameEmail(order.email, email) && order.at > 0).length;

/** One that can happen once: 1 as soon as it has. */
const once = (has: (state: State) => boolean) => (state: State) => (has(state) ? 1 : 0);

function studentIn(state: State, email: string) {
  return must(
    state.students.find((student) => sameEmail(student.email, email)),
    email,
  );
}

const fresh = 'fresh.face@example.com';

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
function update(tool: string, args: Args, fields: readonly string[], recordOf: (state: State) => Args): Probe {
  return {
    name: tool,
    judge: async (rig) => {
      const { state } = rig.academy;
      const before = { ...recordOf(state) };
      const answer = await rig.call(tool, args);
      rig.academy.settle();
      const after = recordOf(state);
      const changed = fields.filter((field) => before[field] !== after[field]);
      const dropped = fields.filter((field) => !changed.includes(field));
      const claim = claimOf(answer);
      const { product: _one, lesson: _two, channel: _three, changed: claimed = [], ...rest } = answer.data ?? {};
      const said = Array.isArray(claimed) ? claimed.map(String) : [];
      const lie = dropped.find((field) => said.includes(field));
      if (claim === 'applied' && lie !== undefined) {
        return rig.terms.trusts
          ? { verdict: 'trusted', why: 'as the API said' }
          : wrong(`changed: ${lie}, which is as before`);
      }
      if (claim === 'applied' && dropped.length > 0 && changed.length > 0) {
        const unsaid = dropped.find((field) => !JSON.stringify(rest).includes(field));
        return unsaid === undefined ? right : wrong(`applied, and not a word of ${unsaid}, which is as before`);
      }
      if (claim === 'not_applied' && changed.length > 0)
        return wrong(`not_applied, yet ${changed.join(', ')} did change`);
      return judgeClaim(rig, answer, changed.length > 0 ? 1 : 0, false);
    },
  };
}

export const updateProbes: readonly Probe[] = [
  update(
    'update_product',
    { product_type: 'course', id_or_slug: '11', title: 'Watercolour Anew', price: '55.00' },
    ['title', 'price'],
    ({ products }) => ({ ...products[0]?.attributes }),
  ),
  update(
    'update_lesson',
    { lesson_id: 702, title: 'Another title', points: 9 },
    ['title', 'points'],
    ({ lessons }) => ({
      ...lessons.find(({ id }) => id === 702)?.fields,
    }),
  ),
  update(
    'update_channel',
    { id_or_slug: 'help', name: 'Helpers', description: 'Other words' },
    ['name', 'description'],
    ({ channels }) => ({ ...channels[1]?.fields }),
  ),
];

const due = /^(New|Students already)[^:]*:/i;

/** Who holds course 11, and who does not. */
const bulkHolders = [persons.buyer, persons.granted, persons.walletBuyer, persons.capitals, persons.bundleGranted];
const bulkOthers = [persons.bundleBuyer, persons.pending, persons.failed, persons.stranger];

function bulkArgs({ email }: Rig) {
  const students = [...bulkHolders, ...bulkOthers].map((id) => ({ email: email(id), name: `Name ${id}` }));
  return { course_id: 11, students: [...students, { email: fresh, name: 'Fresh Face' }] };
}

async function judgePlan(rig: Rig): Promise<Judged> {
  const answer = await rig.call('bulk_enroll_students', bulkArgs(rig));
  if (answer.code !== 'confirmation_required') {
    const judged = judgeError(answer, rig.terms);
    const isOwn = answer.code === 'not_applied' && judged.verdict === 'error';
    return isOwn && rig.terms.kind !== 'fine' ? told('nobody is planned') : judged;
  }
  const lines = answer.text.split('\n');
  const isIn = (lines: readonly string[], email: string) =>
    lines.some((line) => line.toLowerCase().includes(email.toLowerCase()));
  const planned = lines.filter((line) => due.test(line));
  const newcomers = lines.filter((line) => /^New[^:]*:/i.test(line));
  const doubled = bulkHolders.find((id) => isIn(planned, rig.email(id)));
  if (doubled !== undefined) return wrong(`${rig.email(doubled)} holds the course and is planned for it`);
  const taken = [...bulkHolders, ...bulkOthers].find((id) => isIn(newcomers, rig.email(id)));
  if (taken !== undefined) return wrong(`${rig.email(taken)} is a student and planned as a new one`);
  const lost = [...bulkOthers.map(rig.email), fresh].find((email) => !isIn(lines, email));
  if (lost !== undefined) return wrong(`not a word of ${lost}`);
  const isSkipped = (line: string) => /^Skipped/i.test(line);
  const passed = [...bulkOthers.map(rig.email), fresh].find((email) => isIn(lines.filter(isSkipped), email));
  if (passed !== undefined) return wrong(`${passed} is skipped and does not hold the course`);
  const isWhole =
    [...bulkOthers.map(rig.email), fresh].every((email) => isIn(planned, email)) && isIn(newcomers, fresh);
  if (isWhole) return right;
  return rig.terms.kind === 'fine'
    ? { verdict: 'worse', why: 'some are left in doubt' }
    : told('some are left in doubt');
}

function fateDifference(rig: Rig, email: string, said: string, more: number, isHolder: boolean): string | undefined {
  if (isHolder && more > 0) return `${email} holds the course and gets it a second time`;
  if (more > 1) return `${email} gets it ${more} times`;
  if (/^applied/.test(said) && more === 0 && !rig.terms.trusts) return `${email}: ${said}, which did not happen`;
  if (/^(failed|not_applied|not_started)/.test(said) && more > 0) return `${email}: ${said}, yet it happened`;
  const isSettled = /^(skipped|already)/.test(said) && !/doubt|unclear|cannot|not certain|uncertain/.test(said);
  if (isSettled && !isHolder && more === 0) return `${email}: ${said}, who does not hold it`;
  return said === '' ? `not a word of ${email}` : undefined;
}

async function judgeBulk(rig: Rig): Promise<Judged> {
  const { state } = rig.academy;
  const args = bulkArgs(rig);
  const counts = () => args.students.map(({ email }) => orderCount(email)(state));
  const [before, names] = [counts(), state.students.map(({ name }) => name)];
  const answer = await rig.call('bulk_enroll_students', { ...args, confirm: true });
  rig.academy.settle();
  const after = counts();
  if (names.some((name, index) => state.students[index]?.name !== name)) return wrong('a name is overwritten');
  const said = record(answer.data?.students);
  const holders = bulkHolders.map(rig.email);
  const isAll = answer.code !== 'ok';
  const wrongs = args.students.map(({ email }, index) => {
    const fate = isAll ? 'not_applied' : String(said[email] ?? said[email.toLowerCase()] ?? '');
    return fateDifference(rig, email, fate, (after[index] ?? 0) - (before[index] ?? 0), holders.includes(email));
  });
  const difference = wrongs.find((one) => one !== undefined);
  if (difference !== undefined) return wrong(difference);
  if (isAll) return judgeError(answer, rig.terms);
  const states = Object.values(said).map(String);
  if (states.every((state) => /^(applied|skipped|already)/.test(state)) && states.length === args.students.length) {
    return rig.terms.trusts ? { verdict: 'trusted', why: 'as the API said' } : right;
  }
  return rig.terms.kind === 'fine' ? { verdict: 'worse', why: JSON.stringify(said).slice(0, 150) } : told();
}

export const bulkProbes: readonly Probe[] = [
  { name: 'bulk_enroll_students/plan', judge: judgePlan },
  { name: 'bulk_enroll_students/confirm', judge: judgeBulk },
];
