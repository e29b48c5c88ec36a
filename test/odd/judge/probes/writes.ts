import type { ToolAnswer } from '../../../support/connect.ts';
import { persons } from '../../academy/data.ts';
import { must, type State, sameEmail } from '../../academy/state.ts';
import {
  doubted,
  type Harness,
  incomplete,
  type Judged,
  judgeError,
  type Probe,
  record,
  right,
  wrong,
} from '../verdict.ts';

interface Update {
  readonly tool: string;
  readonly args: Args;
  /** Id of the record, and the sent fields. */
  readonly id: number;
  readonly fields: readonly string[];
  recordOf(state: State): Args | undefined;
}

function judgeUpdate(harness: Harness, answer: ToolAnswer, changed: readonly string[], { id, fields }: Update): Judged {
  const { product, lesson, channel, changed: claimed = [], ...rest } = answer.structured ?? {};
  const claim = claimOf(answer);
  const shown = record(product ?? lesson ?? channel).id;
  if (claim === 'applied' && shown !== undefined && Number(shown) !== id) {
    return wrong(`shows record ${shown} as changed instead of ${id}`);
  }
  const dropped = fields.filter((field) => !changed.includes(field));
  const lie = dropped.find((field) => Array.isArray(claimed) && claimed.includes(field));
  if (claim === 'applied' && lie !== undefined) {
    return harness.terms.trusts
      ? { verdict: 'trusted', why: 'as the API said' }
      : wrong(`changed: ${lie}, which is unchanged`);
  }
  const unsaid = dropped.find((field) => !JSON.stringify(rest).includes(field));
  if (claim === 'applied' && changed.length > 0 && unsaid !== undefined && !harness.terms.trusts) {
    return wrong(`applied, without mentioning that ${unsaid} is unchanged`);
  }
  return judgeClaim(harness, answer, changed.length > 0 ? 1 : 0, false);
}

function update(operation: Update): Probe {
  return {
    name: operation.tool,
    judge: async (harness) => {
      const { state } = harness.academy;
      const before = { ...operation.recordOf(state) };
      const answer = await harness.call(operation.tool, operation.args);
      harness.academy.settle();
      const after = operation.recordOf(state) ?? {};
      const changed = operation.fields.filter((field) => before[field] !== after[field]);
      return judgeUpdate(harness, answer, changed, operation);
    },
  };
}

export const updateProbes: readonly Probe[] = [
  update({
    tool: 'update_product',
    args: { product_type: 'course', id_or_slug: '11', title: 'Watercolour Anew', price: '55.00' },
    id: 11,
    fields: ['title', 'price'],
    recordOf: ({ products }) => products[0]?.attributes,
  }),
  update({
    tool: 'update_lesson',
    args: { lesson_id: 702, title: 'Another title', points: 9 },
    id: 702,
    fields: ['title', 'points'],
    recordOf: ({ lessons }) => lessons.find(({ id }) => id === 702)?.fields,
  }),
  update({
    tool: 'update_channel',
    args: { id_or_slug: 'help', name: 'Helpers', description: 'Other words' },
    id: 62,
    fields: ['name', 'description'],
    recordOf: ({ channels }) => channels.find(({ id }) => id === 62)?.fields,
  }),
];

type Args = Record<string, unknown>;

const claimOf = ({ structured: data, text }: ToolAnswer): string | undefined => {
  const said = data?.outcome ?? /^Outcome: (\w+)/m.exec(text)?.[1];
  return typeof said === 'string' ? said : undefined;
};

function judgeClaim(harness: Harness, answer: ToolAnswer, times: number, isThere: boolean): Judged {
  const claim = claimOf(answer);
  if (times > 1) return wrong(`done ${times} times`);
  const did = times === 1;
  if (claim === 'outcome_unknown') return saidWhy(harness, answer, doubted(harness.terms, 'unknown'));
  if (claim === 'applied' || claim === 'already_there') {
    if (did || (isThere && claim === 'already_there')) return right;
    return harness.terms.trusts
      ? { verdict: 'trusted', why: `${claim}, as the API said` }
      : wrong(`${claim}, which did not happen`);
  }
  if (claim === 'not_applied') {
    if (did) return wrong('not_applied, which did happen');
    return saidWhy(harness, answer, isThere ? incomplete('nothing done') : right);
  }
  return wrong(`says nothing of its outcome: ${answer.text.split('\n')[0]}`);
}

function saidWhy(harness: Harness, answer: ToolAnswer, otherwise: Judged): Judged {
  if (answer.code === 'ok') return otherwise;
  const judged = judgeError(answer, harness.terms);
  return judged.verdict === 'WRONG' ? judged : harness.terms.kind === 'fine' ? judged : otherwise;
}

export const orderCount = (email: string) => (state: State) =>
  state.orders.filter((order) => sameEmail(order.email, email) && order.at > 0).length;

/** An effect that can happen once: 1 after it has happened. */
const once = (has: (state: State) => boolean) => (state: State) => (has(state) ? 1 : 0);

function studentIn(state: State, email: string) {
  return must(
    state.students.find((student) => sameEmail(student.email, email)),
    email,
  );
}

/** A person whom the academy does not know. */
export const fresh = 'fresh.face@example.com';

/** A call of the tool of that name: its arguments, and how often what it asks for has been done. */
function operation(
  name: string,
  operationOf: (harness: Harness) => readonly [args: Args, times: (state: State) => number],
): Probe {
  return {
    name,
    judge: async (harness) => {
      const { state } = harness.academy;
      const [args, times] = operationOf(harness);
      const before = times(state);
      const [tool = ''] = name.split('/');
      const answer = await harness.call(tool, args);
      harness.academy.settle();
      return judgeClaim(harness, answer, times(state) - before, false);
    },
  };
}

const holdsOrder = (state: State, student: number, kind: 'courses' | 'bundles', id: number) =>
  state.orders.some((order) => order.student === student && order[kind].includes(id));

export const writeProbes: readonly Probe[] = [
  operation('enroll_student/new', () => [{ email: fresh, name: 'Fresh Face', course_id: 16 }, orderCount(fresh)]),
  operation('enroll_student/known', ({ email }) => [
    { email: email(persons.stranger), course_id: 16 },
    orderCount(email(persons.stranger)),
  ]),
  operation('enroll_student/bundle', ({ email }) => [
    { email: email(persons.stranger), bundle_id: 32 },
    orderCount(email(persons.stranger)),
  ]),
  {
    name: 'enroll_student/holder',
    judge: async (harness) => {
      const email = harness.email(persons.buyer);
      const before = orderCount(email)(harness.academy.state);
      const answer = await harness.call('enroll_student', { email, course_id: 11 });
      harness.academy.settle();
      const more = orderCount(email)(harness.academy.state) - before;
      const sent = harness.academy.log.filter(({ route }) => route === 'student.enroll').length;
      if (more > 0 || sent > 0) return wrong('a grant is sent for a student who has the course');
      const claim = claimOf(answer);
      if (claim === 'already_there') return right;
      return claim === 'applied' ? wrong('applied, although nothing was sent') : incomplete(claim);
    },
  },
  {
    name: 'enroll_student/twice',
    judge: async (harness) => {
      const args = { email: harness.email(persons.stranger), course_id: 16 };
      await harness.call('enroll_student', args);
      harness.academy.settle();
      const there = orderCount(args.email)(harness.academy.state);
      const answer = await harness.call('enroll_student', args);
      harness.academy.settle();
      const after = orderCount(args.email)(harness.academy.state);
      if (after > 1) return wrong('granted twice');
      if (after === 1 && there === 1 && claimOf(answer) === 'applied') return right;
      return judgeClaim(harness, answer, after - there, there === 1);
    },
  },
  operation('unenroll_student', ({ email }) => [
    { email: email(persons.buyer), name: 'Ben Brandt', confirm: true },
    once((state) => !studentIn(state, email(persons.buyer)).paying),
  ]),
  operation('revoke_course', ({ email }) => [
    { email: email(persons.buyer), name: 'Ben Brandt', course_id: 11, confirm: true },
    once((state) => !holdsOrder(state, persons.buyer, 'courses', 11)),
  ]),
  operation('revoke_bundle', ({ email }) => [
    { email: email(persons.bundleBuyer), bundle_id: 31, confirm: true },
    once((state) => !holdsOrder(state, persons.bundleBuyer, 'bundles', 31)),
  ]),
  operation('grant_role', ({ email }) => [
    { email: email(persons.buyer), role_id: 1 },
    once((state) => studentIn(state, email(persons.buyer)).roles.has(1)),
  ]),
  operation('revoke_role', ({ email }) => [
    { email: email(persons.buyer), role_id: 2, confirm: true },
    once((state) => !studentIn(state, email(persons.buyer)).roles.has(2)),
  ]),
  operation('reset_course_progress', (harness) => {
    const { email } = finisher(harness);
    return [{ email, course_id: 11, confirm: true }, once((state) => studentIn(state, email).percents.get(11) === 0)];
  }),
  operation('reset_bundle_progress', (harness) => {
    const { email } = finisher(harness);
    return [{ email, bundle_id: 32, confirm: true }, once((state) => studentIn(state, email).percents.get(11) === 0)];
  }),
  operation('create_lesson', () => [
    { course_id: 11, title: 'A lesson like no other', module_id: 202 },
    ({ lessons }) => lessons.filter(({ fields }) => fields.title === 'A lesson like no other').length,
  ]),
  operation('create_channel', () => [
    { name: 'Unheard Of' },
    ({ channels }) => channels.filter(({ fields }) => fields.name === 'Unheard Of').length,
  ]),
];

function finisher({ academy }: Harness) {
  return must(
    academy.state.students.find(({ percents }) => percents.get(11) === 100),
    'student who has finished course 11',
  );
}
