import { persons } from '../../academy/data.ts';
import { must, sameEmail, totalCompletion } from '../../academy/state.ts';
import {
  admits,
  countFindings,
  doubted,
  type Harness,
  incomplete,
  type Judged,
  judgeError,
  judgeRead,
  lacks,
  type Probe,
  record,
  right,
  rowsIn,
  setFindings,
  states,
  sumFindings,
  wrong,
} from '../verdict.ts';
import { everyPage } from './orders.ts';
import { heldBy, hundredths, salesIn, sumsOf } from './sales.ts';
import { fresh, orderCount } from './writes.ts';

const due = /^(New|Existing students)[^:]*:/i;

/** Students with and without course 11. */
const bulkHolders = [persons.buyer, persons.granted, persons.walletBuyer, persons.capitals, persons.bundleGranted];
const bulkOthers = [persons.bundleBuyer, persons.pending, persons.failed, persons.stranger];

function bulkArgs({ email }: Harness) {
  const students = [...bulkHolders, ...bulkOthers].map((id) => ({ email: email(id), name: `Name ${id}` }));
  return { product: 'course 11', students: [...students, { email: fresh, name: 'Fresh Face' }] };
}

async function judgePlan(harness: Harness): Promise<Judged> {
  const answer = await harness.call('sync_roster', bulkArgs(harness));
  if (answer.code !== 'ok') return judgeError(answer, harness.terms);
  if (answer.structured?.outcome !== 'not_applied') return wrong('a plan that does not say that nothing was changed');
  if (harness.terms.kind !== 'fine' && answer.text.includes('no student is left to enroll'))
    return incomplete('no student is planned');
  const lines = answer.text.split('\n');
  const isIn = (lines: readonly string[], email: string) =>
    lines.some((line) => line.toLowerCase().includes(email.toLowerCase()));
  const planned = lines.filter((line) => due.test(line));
  const newcomers = lines.filter((line) => /^New[^:]*:/i.test(line));
  const doubled = bulkHolders.find((id) => isIn(planned, harness.email(id)));
  if (doubled !== undefined) return wrong(`${harness.email(doubled)} holds the course and is planned for it`);
  const taken = [...bulkHolders, ...bulkOthers].find((id) => isIn(newcomers, harness.email(id)));
  if (taken !== undefined) return wrong(`${harness.email(taken)} is a student and planned as a new one`);
  const lost = [...bulkOthers.map(harness.email), fresh].find((email) => !isIn(lines, email));
  if (lost !== undefined) return wrong(`${lost} is not mentioned`);
  const isSkipped = (line: string) => /^Skipped/i.test(line);
  const passed = [...bulkOthers.map(harness.email), fresh].find((email) => isIn(lines.filter(isSkipped), email));
  if (passed !== undefined) return wrong(`${passed} is skipped and does not hold the course`);
  const isWhole =
    [...bulkOthers.map(harness.email), fresh].every((email) => isIn(planned, email)) && isIn(newcomers, fresh);
  return isWhole ? right : doubted(harness.terms, 'some are called uncertain');
}

function stateDifference(
  harness: Harness,
  email: string,
  said: string,
  more: number,
  isHolder: boolean,
): string | undefined {
  if (isHolder && more > 0) return `${email} holds the course and gets it a second time`;
  if (more > 1) return `${email} gets it ${more} times`;
  if (/^applied/.test(said) && more === 0 && !harness.terms.trusts) return `${email}: ${said}, which did not happen`;
  if (/^(failed|not_applied|not_started)/.test(said) && more > 0) return `${email}: ${said}, yet it happened`;
  const isSettled = /^(skipped|already)/.test(said) && !/doubt|unclear|cannot|not certain|uncertain/.test(said);
  if (isSettled && !isHolder && more === 0) return `${email}: ${said}, who does not hold it`;
  return said === '' ? `${email} is not mentioned` : undefined;
}

async function judgeBulk(harness: Harness): Promise<Judged> {
  const { state } = harness.academy;
  const args = bulkArgs(harness);
  const counts = () => args.students.map(({ email }) => orderCount(email)(state));
  const [before, names] = [counts(), state.students.map(({ name }) => name)];
  const answer = await harness.call('sync_roster', { ...args, confirm: true });
  harness.academy.settle();
  const after = counts();
  if (names.some((name, index) => state.students[index]?.name !== name)) return wrong('a name is overwritten');
  const said = record(answer.structured?.students);
  const holders = bulkHolders.map(harness.email);
  const isAll = answer.code !== 'ok';
  const wrongs = args.students.map(({ email }, index) => {
    const reported = isAll ? 'not_applied' : String(said[email] ?? said[email.toLowerCase()] ?? '');
    return stateDifference(
      harness,
      email,
      reported,
      (after[index] ?? 0) - (before[index] ?? 0),
      holders.includes(email),
    );
  });
  const difference = wrongs.find((one) => one !== undefined);
  if (difference !== undefined) return wrong(difference);
  if (isAll) return judgeError(answer, harness.terms);
  const { words } = harness.terms;
  const silent = Object.entries(said).find(
    ([, reported]) => String(reported).startsWith('failed') && !String(reported).includes(words ?? ''),
  );
  if (silent !== undefined) return wrong(`the message of the API is dropped: ${silent.join(': ')}`);
  const states = Object.values(said).map(String);
  if (states.every((state) => /^(applied|skipped|already)/.test(state)) && states.length === args.students.length) {
    return harness.terms.trusts ? { verdict: 'trusted', why: 'as the API said' } : right;
  }
  return doubted(harness.terms, JSON.stringify(said).slice(0, 150));
}

export const bulkProbes: readonly Probe[] = [
  { name: 'sync_roster/plan', judge: judgePlan },
  { name: 'sync_roster/confirm', judge: judgeBulk },
];

const emailsIn = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map(({ email }) => String(email).toLowerCase());

function profile(name: string, student: number): Probe {
  return {
    name: `student_profile/${name}`,
    judge: async (harness) => {
      const answer = await harness.call('student_profile', { email: harness.email(student), max_requests: 100 });
      const { structured: data = {} } = answer;
      const held = heldBy(harness.academy, student);
      const { students } = harness.academy.state;
      const { percents } = must(
        students.find(({ id }) => id === student),
        `student ${student}`,
      );
      const enrolled = [...percents.keys()].map((id) => `course ${id}`);
      const rows = rowsIn(data.holds);
      const misnamed = rows.filter(
        ({ product, how }) => (how === 'bought' || how === 'granted') && how !== held.get(String(product)),
      );
      const own = harness.academy.state.orders.filter((order) => order.student === student);
      const bought = salesIn({ orders: own }, {});
      const totals = record(data.totals);
      const shown = { orders: totals.bought, revenue: totals.revenue };
      const unpaid = own.filter(({ status }) => status === 'pending' || status === 'failed').length;
      const granted = own.filter(({ amount, status }) => hundredths(amount) === 0 && status === 'paid').length;
      const email = harness.email(student);
      const isOther = data.student !== undefined && !sameEmail(String(record(data.student).email ?? email), email);
      const found = [
        ...(isOther ? [states('another student')] : []),
        ...setFindings(
          'products held',
          rows.map(({ product }) => String(product)),
          [...new Set([...held.keys(), ...enrolled])],
        ),
        ...misnamed.map(({ product, how }) => states(`${product} is called ${how}`)),
        ...sumFindings(shown, sumsOf(bought)),
        ...countFindings(totals, { unpaid, granted }),
      ];
      return judgeRead(answer, found, harness.terms);
    },
  };
}

type Standing = 'holds' | 'never_ordered' | 'order_pending' | 'order_failed' | 'no_student';

/** Reasons that are untrue for a student whose only order was refunded. */
const untrueOfRefunded = ['holds', 'no_student', 'order_pending', 'order_failed', 'not_published'];

function isTrue({ holds, reason }: Readonly<Record<string, unknown>>, truth: Standing | 'gone'): boolean {
  if (truth === 'gone') return holds !== true && !untrueOfRefunded.includes(String(reason));
  // Something speaks against access to what the student holds.
  const said = reason === 'hindered' ? 'holds' : reason;
  return said === truth && holds === (truth === 'holds');
}

function diagnosis(name: string, who: number | string, [kind, id]: [string, number], expected: Standing): Probe {
  return {
    name: `diagnose_access/${name}`,
    judge: async (harness) => {
      const email = typeof who === 'string' ? who : harness.email(who);
      const isHeld = typeof who === 'number' && heldBy(harness.academy, who).has(`${kind} ${id}`);
      const truth = expected === 'holds' && !isHeld ? 'gone' : expected;
      const answer = await harness.call('diagnose_access', { email, product: String(id), product_type: kind });
      if (answer.code === 'not_found' && truth === 'no_student') return right;
      if (answer.code !== 'ok') return judgeError(answer, harness.terms);
      const { holds, reason } = answer.structured ?? {};
      const isHindered = kind === 'course' && harness.academy.rules.some(({ hinders }) => hinders === true);
      if (isHindered && truth === 'holds' && reason === 'holds')
        return wrong('holds, with nothing said against access');
      if (isTrue(answer.structured ?? {}, truth)) return right;
      const isDoubt = reason === 'unclear' || admits(answer);
      if (!isDoubt || holds === true) return wrong(`${reason}, in truth ${truth}`);
      return doubted(harness.terms, `${reason}, in truth ${truth}`);
    },
  };
}

/** Page by page, or sorted by name, for which the program reads the whole list. */
async function judgeStudents(harness: Harness, isSorted = false) {
  const read = async () => {
    const answer = await harness.call('list_students', { sort: 'name', limit: 200 });
    return { answer, rows: rowsIn(answer.structured?.students), endless: [] };
  };
  const { answer, rows, endless } = isSorted ? await read() : await everyPage(harness, 'list_students', 'students', {});
  const truth = harness.academy.state.students.map(({ email }) => email.toLowerCase());
  // A row without an email says nothing that is untrue.
  const named = rows.filter(({ email }) => email !== undefined);
  const found = setFindings('students', emailsIn(named), truth);
  return judgeRead(answer, [...endless, ...found], harness.terms);
}

async function judgeCompleted(harness: Harness) {
  const answer = await harness.call('list_completed_students', { limit: 500 });
  const done = harness.academy.state.students.filter((student) => totalCompletion(student) >= 100);
  const found = setFindings(
    'students',
    emailsIn(rowsIn(answer.structured?.students)),
    done.map(({ email }) => email.toLowerCase()),
  );
  return judgeRead(answer, found, harness.terms);
}

/** A difference of up to half a percent is rounding. */
const isNear = (one: unknown, truth: number) => typeof one === 'number' && Math.abs(one - truth) <= 1;

async function judgeCompletion(harness: Harness) {
  const student = must(
    harness.academy.state.students.find(({ percents }) => percents.get(11) === 54),
    'student at 54%',
  );
  const answer = await harness.call('get_course_completion', { course_id: 11, user_email: student.email });
  const shown = answer.structured?.course_completion_percent;
  if (answer.code !== 'ok') return judgeError(answer, harness.terms);
  if (typeof shown === 'number')
    return judgeRead(answer, isNear(shown, 54) ? [] : [states(`${shown}%, in truth 54%`)], harness.terms);
  // If it is left out, or shown as the API wrote it, nothing is claimed.
  return harness.terms.kind === 'fine' ? wrong(`shows ${String(shown)} of 54%`) : incomplete(`shows ${String(shown)}`);
}

async function judgeProgress(harness: Harness) {
  const answer = await harness.call('course_progress', { course_id: 11, max_requests: 400, limit: 500 });
  const { structured: data = {} } = answer;
  const { state } = harness.academy;
  const buyers = [
    ...new Set(salesIn(state, { product: { kind: 'course', id: 11 } }).map(({ email }) => email.toLowerCase())),
  ];
  const students = state.students.filter(({ email }) => buyers.includes(email.toLowerCase()));
  const percents = new Map(students.map(({ email, percents }) => [email.toLowerCase(), percents.get(11) ?? 0]));
  const done = [...percents].flatMap(([email, percent]) => (percent >= 100 ? [email] : []));
  const percentOf = (email: unknown) => percents.get(String(email).toLowerCase());
  const stuck = rowsIn(data.stuck).filter((row) => !isNear(row.percent, percentOf(row.email) ?? -9));
  const totals = record(data.totals);
  const average = [...percents.values()].reduce((sum, percent) => sum + percent, 0) / percents.size;
  const found = [
    ...countFindings(totals, { buyers: buyers.length }),
    ...setFindings('finished', emailsIn(rowsIn(data.finished)), done),
    ...stuck.map(({ email, percent }) => states(`${email} is at ${percent}%, in truth ${percentOf(email)}%`)),
    ...(Number(totals.unknown ?? 0) > 0 ? [lacks(`${totals.unknown} unknown`)] : []),
    ...(isNear(totals.average_percent, average)
      ? []
      : [lacks(`${totals.average_percent}% on average, in truth ${Math.round(average)}%`)]),
  ];
  return judgeRead(answer, found, harness.terms);
}

export const studentProbes: readonly Probe[] = [
  { name: 'list_students', judge: (harness) => judgeStudents(harness) },
  { name: 'list_students/whole', judge: (harness) => judgeStudents(harness, true) },
  { name: 'list_completed_students', judge: judgeCompleted },
  { name: 'get_course_completion', judge: judgeCompletion },
  { name: 'course_progress', judge: judgeProgress },
  profile('buyer', persons.buyer),
  profile('bundle', persons.bundleBuyer),
  profile('granted', persons.granted),
  profile('wallet', persons.walletBuyer),
  profile('pending', persons.pending),
  profile('capitals', persons.capitals),
  profile('many', 10),
  diagnosis('buyer', persons.buyer, ['course', 11], 'holds'),
  diagnosis('bundle', persons.bundleBuyer, ['bundle', 31], 'holds'),
  diagnosis('bundled', persons.bundleBuyer, ['course', 12], 'holds'),
  diagnosis('granted', persons.granted, ['course', 11], 'holds'),
  diagnosis('wallet', persons.walletBuyer, ['course', 11], 'holds'),
  diagnosis('capitals', persons.capitals, ['course', 11], 'holds'),
  diagnosis('digital', persons.bundleBuyer, ['digital_product', 51], 'holds'),
  diagnosis('pending', persons.pending, ['course', 11], 'order_pending'),
  diagnosis('failed', persons.failed, ['course', 11], 'order_failed'),
  diagnosis('stranger', persons.stranger, ['course', 11], 'never_ordered'),
  diagnosis('nobody', 'nobody@nowhere.example', ['course', 11], 'no_student'),
];
