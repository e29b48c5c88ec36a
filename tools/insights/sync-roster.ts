import * as z from 'zod';
import type { Change } from '../../src/api/writes/journal.ts';
import { enrollStudent, revokeBundle, revokeCourse } from '../../src/contract/access.ts';
import {
  describedOnce,
  flag,
  integer,
  limitedText,
  text,
  withFormat,
} from '../../src/contract/schemas/input-fields.ts';
import { type ClassList, maxListBytes, readClassList } from '../../src/insights/enrollment/class-list.ts';
import { alreadyHeld, checkEntries } from '../../src/insights/enrollment/plan.ts';
import { rosterVersion } from '../../src/insights/enrollment/roster.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { cursorNumber, maxRows } from '../../src/shared/cursor.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import type { EnrollmentResult, EnrollmentState } from '../../src/workflows/enrollment/enroll-list.ts';
import {
  applyRoster,
  grantsOf,
  keptPlan,
  knownPlan,
  type RosterPlan,
  type RosterQuestion,
  type RosterResult,
  readingNow,
} from '../../src/workflows/enrollment/roster.ts';
import { resolveProducts } from '../../src/workflows/find-product.ts';
import { namesakesOf } from '../../src/workflows/sales/read-orders.ts';
import { productNamed } from '../../src/workflows/students/loss-lines.ts';
import * as common from './shared-arguments.ts';
import { refuseIdle, rosterPlanLines, rowsText } from './sync-roster-plan.ts';

const maxProducts = 10;

/** A wrong email or name is refused in the plan, one by one. */
const address = describedOnce(withFormat('email', limitedText(254).describe("The student's email")));
const person = z.strictObject({
  email: address,
  name: limitedText(255).describe('Needed for a new student').optional(),
});

const input = z.strictObject({
  product: describedOnce(common.product).optional(),
  products: describedOnce(common.products(maxProducts, 'Such as "course 3"')).optional(),
  students: describedOnce(z.array(person).min(1).max(200).describe('Known ones keep their name')).optional(),
  csv: describedOnce(text('The list as CSV text, instead of students')).optional(),
  file: limitedText(255).min(1).describe('CSV in ACADEMY_IMPORT_DIR').optional(),
  remove: z.enum(['none', 'missing']).describe('missing: who is not on the list loses what was granted').optional(),
  max_removals: describedOnce(integer(0, maxRows, 'Holders removed at most; default 10%, or 5')).optional(),
  include_doubtful: describedOnce(flag('Enrolls the doubtful too')).optional(),
  base_version: describedOnce(
    limitedText(64).min(1).describe('Of the plan: refuses if anything changed since'),
  ).optional(),
  cursor: common.cursor,
});
type Input = z.output<typeof input>;

const rosterOutput = z.looseObject({
  totals: z.record(z.string(), z.int()).optional(),
  plan: z.array(z.string()).describe('Without confirm').optional(),
  next_cursor: z.string().optional(),
});

const states = ['applied', 'already_there', 'skipped', 'removed', 'already_gone', 'kept'] as const;
const openStates = ['doubtful', 'failed', 'unknown', 'not_started'] as const;
const isOpen = ({ state }: EnrollmentResult) => state === 'doubtful' || state === 'failed' || state === 'unknown';

/** What to do about the students in a state. */
const nextSteps: Readonly<Record<string, string>> = {
  doubtful:
    'doubtful: nothing was sent, because it is unclear what they hold; check with student_profile, then send them again with include_doubtful true',
  unknown:
    'unknown: the change was sent, but its result was not seen; check with student_profile before you repeat it for them',
  failed: 'failed: nothing was changed for them; fix the stated problem and send the list again',
  not_started: 'not_started: send the same list again to continue',
};

/** The position of a call that goes on. */
const position = z.strictObject({
  version: z.string().regex(/^[0-9a-f]{16}$/),
  change: z.string().regex(/^[\w-]{1,40}$/),
  at: cursorNumber(0, maxRows),
});

/** Reads the list before any request. */
async function listOf({ students, csv, file }: Input, { readImport }: ToolContext): Promise<ClassList> {
  if (students !== undefined) {
    const { people, bad } = checkEntries(students);
    const wrong = new Set(bad.map(({ number }) => number));
    return { people, bad, rows: students.flatMap((_, index) => (wrong.has(index + 1) ? [] : [index + 1])) };
  }
  if (file === undefined) return readClassList(csv ?? '');
  if (readImport === undefined) {
    const why = 'file is read only over stdio, from the machine of the person';
    throw new AcademyError('forbidden', why, { hint: 'Send the list as csv.', outcome: 'not_applied' });
  }
  return readClassList(await readImport(file, maxListBytes));
}

async function questionOf(given: Input, context: ToolContext): Promise<RosterQuestion> {
  const list = await listOf(given, context);
  const { product, products: several = product === undefined ? [] : [product], remove, max_removals } = given;
  const named = several.map((one) => ({ product: one }));
  const products = await resolveProducts(named, { products: undefined }, readingNow(context, list.people.length));
  grantsOf(products);
  const removes = remove === 'missing';
  const includesDoubtful = given.include_doubtful ?? false;
  const isShort = given.students !== undefined && !removes;
  return { list, products, removes, maxRemovals: max_removals, includesDoubtful, isShort };
}

type Scope = readonly [string, ...unknown[]];
const scopeOf = ({ list, products, removes, includesDoubtful }: RosterQuestion): Scope => [
  'sync_roster',
  products.map(({ ref }) => ref),
  removes,
  includesDoubtful,
  rosterVersion(list.people),
];

/** Where a call begins, and the change of the journal that it belongs to: one change, however many calls it takes. */
function startOf(cursor: string | undefined, question: RosterQuestion, context: ToolContext) {
  const { journal, caller, change, cursors } = context;
  if (cursor === undefined) return { at: 0, change };
  const { version, at, change: id } = cursors.read(position, cursor, scopeOf(question));
  const isOwn = (one: Change) => one.id === id && one.caller === caller && one.tool === 'sync_roster';
  const own = journal?.read().changes.find(isOwn);
  const plan = knownPlan(version, context);
  // A plan that is forgotten is made again: who is done is already there.
  const joined = own === undefined ? change : { id, conversation: own.conversation };
  return { at: plan === undefined ? 0 : at, change: joined, plan };
}

const textOf = ({ state, why }: EnrollmentResult) => (why === undefined ? state : `${state}: ${oneLine(why, 400)}`);

const worst: readonly EnrollmentState[] = ['unknown', 'failed', 'not_started', 'doubtful', 'applied', 'already_there'];

/** One result of the results of several enrollments of a person. */
const combined = (results: readonly EnrollmentResult[]) =>
  worst.flatMap((state) => results.find((one) => one.state === state) ?? [])[0] ?? results[0];

/** How many are in each state, and in which rows: in the order of the states. */
function byState<Value>(all: readonly (EnrollmentResult & { row?: number })[], facts: (rows: number[]) => Value) {
  const found = [...states, ...openStates].map((state) => {
    const rows = all.flatMap((one) => (one.state === state ? [one.row ?? 0] : []));
    return [state, rows] as const;
  });
  return Object.fromEntries(found.flatMap(([state, rows]) => (rows.length > 0 ? [[state, facts(rows)]] : [])));
}

/** `students`: everybody whom the caller named; of a file, only those who need a person. */
function present(
  plan: RosterPlan,
  { lines, removed, made }: RosterResult,
  next_cursor: string | undefined,
  spent: number,
) {
  const { list, products } = plan.question;
  const isFile = list.columns !== undefined;
  const orders: Record<string, string> = {};
  const listed = [
    ...lines.flatMap((results, index) => {
      const result = combined(results);
      const [who, row] = [list.people[index]?.email ?? '', list.rows[index] ?? 0];
      const ids = made.get(index);
      if (ids !== undefined) orders[isFile ? `row ${row}` : who] = ids.join(' ') || 'not seen yet';
      return result === undefined ? [] : [{ who, row, ...result }];
    }),
    ...list.bad.map(({ number, email, why }) => {
      return {
        who: `${isFile ? `row ${number}` : `${number}.`} ${oneLine(email, 200)}`,
        row: number,
        state: 'failed' as const,
        why,
      };
    }),
  ];
  const students: Record<string, string> = {};
  // For a duplicate, the first line has the result.
  const isGiven = ({ state, why }: EnrollmentResult) => state === 'already_there' && why !== alreadyHeld;
  for (const one of listed) if (!isFile || isOpen(one) || isGiven(one)) students[one.who] ??= textOf(one);
  const all = [...listed, ...removed];
  const totals = byState(all, ({ length }) => length);
  const isOn = next_cursor !== undefined;
  const steps = Object.keys(totals).flatMap((state) =>
    isOn && state === 'not_started' ? [] : (nextSteps[state] ?? []),
  );
  const next = isOn ? ['call again with next_cursor and the same arguments until there is none', ...steps] : steps;
  const names = products.map(productNamed).join(' and ');
  const parts = Object.entries(totals).map(([state, number]) => `${number} ${state.replaceAll('_', ' ')}`);
  const gone = Object.fromEntries(removed.map((one) => [one.email, textOf(one)]));
  return {
    summary: `${names.charAt(0).toUpperCase()}${names.slice(1)} for ${counted(all.length, 'student')}: ${parts.join(', ')}.`,
    data: {
      products: Object.fromEntries(products.map(({ ref, title = '' }) => [ref, oneLine(title, 200)])),
      totals,
      ...(isFile && { rows: byState(listed, rowsText) }),
      ...(Object.keys(students).length > 0 && { students }),
      ...(Object.keys(orders).length > 0 && { order_ids: orders }),
      ...(removed.length > 0 && { not_on_the_list: gone }),
      ...(next.length > 0 && { next: next.join('. ') }),
      ...(isOn && { next_cursor }),
      requests_spent: spent,
    },
    uncut: ['next_cursor'],
  };
}

export const syncRoster = defineTool({
  name: 'sync_roster',
  toolset: 'insights',
  title: 'Enroll many students or sync a class list',
  description:
    'Gives many people (list of emails, team, staff, seats, class, spreadsheet, CSV, bulk) access to (adds to, enrolls in) a course or bundle, or makes it match the list exactly: with remove, those not on it who never paid lose it. Without confirm: a plan (new, held, removed, bad rows, cost). With confirm it applies. For one student use enroll_student.',
  cost: {
    requests: [1, 2],
    per: 'student',
    plus: [
      { requests: 1, per: 'product' },
      { requests: 1, per: 'page' },
      { requests: 1, per: 'change' },
    ],
  },
  example: {
    students: [{ email: 'freya.hargreaves@example.net' }, { email: 'new.person@example.com', name: 'New Person' }],
    product: 'course 9',
  },
  effect: 'destroy',
  repeat: 'same_effect',
  consent: true,
  writes: [enrollStudent, revokeCourse, revokeBundle],
  showsPlan: true,
  scope: 'academy:access',
  carriesUserContent: false,
  input,
  check: ({ product, products, students, csv, file }) => {
    const one = (...given: unknown[]) => given.filter((value) => value !== undefined).length === 1;
    if (!one(product, products)) throw refuseInput(['give one of product and products']);
    if (!one(students, csv, file)) throw refuseInput(['give one of students, csv and file']);
  },
  confirmationMessage: ({ product, products = [], students, file, remove, include_doubtful: isDoubtfulToo }) => {
    const what = [...(product === undefined ? [] : [product]), ...products]
      .map((one) => oneLine(one, 100))
      .join(' and ');
    const people = file === undefined ? 'those of the list' : `those of the list ${JSON.stringify(oneLine(file, 100))}`;
    const { length } = students ?? [];
    const some =
      length === 0
        ? `${people} who do`
        : length === 1
          ? 'one student, if they do'
          : `those of ${length} students who do`;
    const doubtful = isDoubtfulToo ? 'get it too' : 'are left out';
    const goes = remove === 'missing' ? ' It takes access from those who are not on the list and never paid.' : '';
    return `This gives ${what} to ${some} not hold it, ${length === 1 ? '' : 'each '}as a new paid order of amount 0. Students who may already hold it ${doubtful}.${goes} Orders cannot be deleted; revoke_course and revoke_bundle take access back.`;
  },
  confirmationFacts: async (given, context, isReadAgain) => {
    const question = await questionOf(given, context);
    const { base_version, cursor } = given;
    const { plan = await keptPlan(question, { isPlan: true, base_version }, context) } = startOf(
      cursor,
      question,
      context,
    );
    return rosterPlanLines(plan, {
      allowance: context.budget(),
      isReadAgain,
      namesakesOf: (person) => namesakesOf(person, context),
    });
  },
  output: rosterOutput,
  run: async (given, context) => {
    const question = await questionOf(given, context);
    const { cursor, base_version } = given;
    const { at, change, plan: known } = startOf(cursor, question, context);
    const plan = known ?? (await keptPlan(question, { isPlan: false, base_version }, context));
    if (plan.stop !== undefined) refuseIdle(plan);
    const result = await applyRoster(plan, at, change, context);
    const left = result.next === undefined ? undefined : { version: plan.version, at: result.next, change: change.id };
    const next = left && context.cursors.write(position, left, scopeOf(question));
    const presented = present(plan, result, next, context.spent());
    const joined = change !== context.change && change.wasJournaled === true ? { change_id: change.id } : {};
    return { ...presented, data: { ...presented.data, ...joined } };
  },
});
