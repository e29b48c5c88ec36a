import { persons } from '../../academy/orders-data.ts';
import type { Harness, Probe } from '../probe.ts';
import { incomplete, type Judged, judgeError, record, right, wrong } from '../verdict.ts';
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
  if (answer.data?.outcome !== 'not_applied') return wrong('a plan that does not say that nothing was changed');
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
  if (isWhole) return right;
  return harness.terms.kind === 'fine'
    ? { verdict: 'worse', why: 'some are called uncertain' }
    : incomplete('some are called uncertain');
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
  const said = record(answer.data?.students);
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
  return harness.terms.kind === 'fine' ? { verdict: 'worse', why: JSON.stringify(said).slice(0, 150) } : incomplete();
}

export const bulkProbes: readonly Probe[] = [
  { name: 'sync_roster/plan', judge: judgePlan },
  { name: 'sync_roster/confirm', judge: judgeBulk },
];
