import { persons } from '../../academy/orders-data.ts';
import type { Probe, Rig } from '../probe.ts';
import { type Judged, judgeError, record, right, told, wrong } from '../verdict.ts';
import { fresh, orderCount } from './writes.ts';

const due = /^(New|Existing students)[^:]*:/i;

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
  const { words } = rig.terms;
  const silent = Object.entries(said).find(
    ([, fate]) => String(fate).startsWith('failed') && !String(fate).includes(words ?? ''),
  );
  if (silent !== undefined) return wrong(`the API's words are dropped: ${silent.join(': ')}`);
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
