import * as z from 'zod';
import type { Change } from '../../src/api/writes/journal.ts';
import { enrollStudent, revokeBundle, revokeCourse } from '../../src/contract/access.ts';
import * as inputs from '../../src/contract/schemas/input-fields.ts';
import { type ClassList, maxListBytes, readClassList } from '../../src/insights/enrollment/class-list.ts';
import {
  type Addition,
  alreadyHeld,
  entryOf,
  type Person,
  rosterVersion,
  type State,
  type Task,
} from '../../src/insights/enrollment/plan.ts';
import { uniqueByRef } from '../../src/insights/sales/products-in-order.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { productNamed } from '../../src/mcp/titles.ts';
import { defineTool, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { cursorNumber, maxRows } from '../../src/shared/cursor.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { compact } from '../../src/shared/quote-text.ts';
import {
  applyRoster,
  keptPlan,
  knownPlan,
  type RosterPlan,
  type RosterQuestion,
  readingNow,
} from '../../src/workflows/enrollment/roster.ts';
import { findProduct } from '../../src/workflows/find-product.ts';
import { namesakesOf } from '../../src/workflows/sales/read-orders.ts';
import { byState, countsText, fateText } from '../record-result.ts';
import { titlesOf } from './sales-output.ts';
import * as common from './shared-arguments.ts';
import { refuseIdle, rosterPlanLines, rowsText } from './sync-roster-plan.ts';

const maxProducts = 10;

/** A wrong email or name is refused in the plan, one by one. */
const address = inputs.describedOnce(
  inputs.withFormat('email', inputs.limitedText(254).describe("The student's email")),
);
/** An email alone will do. */
const person = z.preprocess(
  (one) => (typeof one === 'string' ? { email: one } : one),
  z.strictObject({ email: address, name: inputs.limitedText(255).describe('Needed for a new student').optional() }),
);

const input = z.strictObject({
  product: inputs.describedOnce(common.product).optional(),
  products: inputs.describedOnce(common.products(maxProducts, 'Such as "course 3"')).optional(),
  students: inputs.describedOnce(z.array(person).min(1).max(200).describe('Known ones keep their name')).optional(),
  csv: inputs.describedOnce(inputs.text('The list as CSV text, instead of students')).optional(),
  file: inputs.limitedText(255).min(1).describe('CSV in ACADEMY_IMPORT_DIR').optional(),
  remove: z.enum(['none', 'missing']).describe('missing: who is not on the list loses what was granted').optional(),
  max_removals: inputs
    .describedOnce(inputs.integer(0, maxRows, 'Holders removed at most; default 10%, or 5'))
    .optional(),
  include_doubtful: inputs.describedOnce(inputs.flag('Enrolls the doubtful too')).optional(),
  base_version: inputs
    .describedOnce(inputs.limitedText(64).min(1).describe('Of the plan: refuses if anything changed since'))
    .optional(),
  cursor: common.cursor,
});
type Input = z.output<typeof input>;

const rosterOutput = z.looseObject({
  totals: z.record(z.string(), z.int()).optional(),
  plan: z.array(z.string()).optional(),
  next_cursor: z.string().optional(),
});

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
  if (students !== undefined) return { entries: students.map((one, index) => entryOf(one, index + 1)) };
  if (file === undefined) return readClassList(csv ?? '');
  if (readImport === undefined) {
    const why = 'file is read only over stdio, from the machine of the person';
    throw new AcademyError('forbidden', why, { hint: 'Send the list as csv.', outcome: 'not_applied' });
  }
  return readClassList(await readImport(file, maxListBytes));
}

async function questionOf(input: Input, context: ToolContext): Promise<RosterQuestion> {
  const list = await listOf(input, context);
  const { product, products: several = product === undefined ? [] : [product], remove, max_removals } = input;
  const { api } = readingNow(context, list.entries.length);
  const found = await Promise.all(several.map((one) => findProduct(api, { product: one })));
  const products = uniqueByRef(found);
  const download = products.find(({ kind }) => kind === 'digital_product');
  if (download !== undefined) throw refuseInput([`${download.ref} is a download: only a bundle gives it`]);
  const removes = remove === 'missing';
  const includesDoubtful = input.include_doubtful ?? false;
  const isShort = input.students !== undefined && !removes;
  return { list, products, removes, maxRemovals: max_removals, includesDoubtful, isShort };
}

const scopeOf = ({ list, products, removes, includesDoubtful }: RosterQuestion) =>
  ['sync_roster', products.map(({ ref }) => ref), removes, includesDoubtful, rosterVersion(list.entries)] as const;

/** The plan of a call, where it begins, and the change of the journal that it belongs to: one, however many calls it takes. */
async function startOf(input: Input, isPlan: boolean, context: ToolContext) {
  const { journal, caller, change, cursors } = context;
  const { cursor, base_version } = input;
  const question = await questionOf(input, context);
  const start = cursor === undefined ? undefined : cursors.read(position, cursor, scopeOf(question));
  const isOwn = (one: Change) => one.id === start?.change && one.caller === caller && one.tool === 'sync_roster';
  const own = start && journal?.read().changes.find(isOwn);
  const joined = own === undefined ? change : { id: own.id, conversation: own.conversation };
  const known = start && knownPlan(start.version, context);
  if (start !== undefined && known !== undefined) return { plan: known, at: start.at, change: joined };
  // A plan that is forgotten is made again: who is done is already there.
  return { plan: await keptPlan(question, { isPlan, base_version }, context), at: 0, change: joined };
}

const worstFirst: readonly State[] = ['unknown', 'failed', 'not_started', 'doubtful', 'applied', 'already_there'];

const isAddition = (task: Task): task is Addition => 'entry' in task;

/** What became of each entry of the list, in its order: for several products, of the one that needs a person most. */
function resultsOf(additions: readonly Addition[]): Addition[] {
  const byEntry = new Map<number, Addition[]>();
  for (const one of additions) byEntry.set(one.entry.number, [...(byEntry.get(one.entry.number) ?? []), one]);
  const results = [...byEntry.values()].flatMap((own) => {
    const [worst = own[0]] = worstFirst.flatMap((state) => own.find((one) => one.state === state) ?? []);
    const made = own.some((one) => one.made) ? { made: own.flatMap((one) => one.made ?? []) } : {};
    return worst === undefined ? [] : [{ ...worst, ...made }];
  });
  return results.sort((one, other) => one.entry.number - other.entry.number);
}

function nextOf(totals: object, next_cursor: string | undefined): string | undefined {
  const isOn = next_cursor !== undefined;
  const steps = Object.keys(totals).map((state) => !(isOn && state === 'not_started') && nextSteps[state]);
  const goOn = 'call again with next_cursor and the same arguments until there is none';
  return compact([isOn && goOn, ...steps]).join('. ') || undefined;
}

function present({ question }: RosterPlan, tasks: readonly Task[], next_cursor: string | undefined, spent: number) {
  const { list, products } = question;
  const isFile = list.columns !== undefined;
  const listed = resultsOf(tasks.filter(isAddition));
  const removed = tasks.filter((task) => !isAddition(task));
  const placeOf = ({ entry }: Addition) => (isFile ? `row ${entry.number}` : `${entry.number}.`);
  const knownName = (one: Addition) =>
    one.entry.problem === undefined ? one.entry.email : `${placeOf(one)} ${oneLine(one.entry.email, 200)}`;
  // Of a file, only those who need a person. For a duplicate, the first entry has the result.
  const isNamed = ({ state, why }: Addition) =>
    !isFile || ['doubtful', 'failed', 'unknown'].includes(state) || (state === 'already_there' && why !== alreadyHeld);
  const students: Record<string, string> = {};
  for (const one of listed.filter(isNamed)) students[knownName(one)] ??= fateText(one);
  const orders = listed.flatMap((one) => {
    return one.made ? [[isFile ? placeOf(one) : knownName(one), one.made.join(' ') || 'not seen yet']] : [];
  });
  const totals = byState([...listed, ...removed], ({ length }) => length);
  const names = products.map(productNamed).join(' and ');
  const people = counted(listed.length + removed.length, 'student');
  return {
    summary: `${names.charAt(0).toUpperCase()}${names.slice(1)} for ${people}: ${countsText(totals)}.`,
    data: {
      products: titlesOf(products),
      totals,
      rows: isFile ? byState(listed, rowsText) : undefined,
      students,
      order_ids: Object.fromEntries(orders),
      not_on_the_list: Object.fromEntries(removed.map((one) => [one.person.email, fateText(one)])),
      next: nextOf(totals, next_cursor),
      next_cursor,
      requests_spent: spent,
    },
    uncut: ['next_cursor'],
    orders: listed.flatMap(({ made = [] }) => made),
  };
}

export const syncRoster = defineTool({
  name: 'sync_roster',
  toolset: 'insights',
  title: 'Enroll many students or sync a class list',
  description:
    'Puts many people (here: these emails, a list, team, class, sheet, CSV, bulk) into a course or bundle (gives access, enrolls), or makes it match the list exactly: with remove, those not on it who never paid lose it. Without confirm: a plan (new, held, removed, bad rows, cost). With confirm it applies. One: enroll_student.',
  cost: { 'per student': [1, 2], 'per product': [1, 3], 'per page': 1, 'per change': 1 },
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
    const one = (...values: unknown[]) => values.filter((value) => value !== undefined).length === 1;
    if (!one(product, products)) throw refuseInput(['give one of product and products']);
    if (!one(students, csv, file)) throw refuseInput(['give one of students, csv and file']);
  },
  confirmationMessage: ({ product, products = [], students, file, remove, include_doubtful: isDoubtfulToo }) => {
    const what = compact([product, ...products])
      .map((one) => oneLine(one, 100))
      .join(' and ');
    const list = file === undefined ? 'the list' : `the list ${JSON.stringify(oneLine(file, 100))}`;
    const people = students === undefined ? list : counted(students.length, 'student');
    const doubtful = isDoubtfulToo ? 'get it too' : 'are left out';
    const goes = remove === 'missing' ? ' It takes access from those who are not on the list and never paid.' : '';
    return `This gives ${what} to those of ${people} who do not hold it, each as a new paid order of amount 0. Students who may already hold it ${doubtful}.${goes} Orders cannot be deleted; revoke_course and revoke_bundle take access back.`;
  },
  confirmationFacts: async (input, context, isReadAgain) => {
    const { plan } = await startOf(input, true, context);
    const namesakes = (person: Person) => namesakesOf(person, context);
    return rosterPlanLines(plan, { allowance: context.budget(), isReadAgain, namesakesOf: namesakes });
  },
  output: rosterOutput,
  run: async (input, context) => {
    const { plan, at, change } = await startOf(input, false, context);
    if (plan.stop !== undefined) refuseIdle(plan);
    const { tasks, next } = await applyRoster(plan, at, change, context);
    const nextPosition = next === undefined ? undefined : { version: plan.version, at: next, change: change.id };
    const next_cursor = nextPosition && context.cursors.write(position, nextPosition, scopeOf(plan.question));
    const presented = present(plan, tasks, next_cursor, context.spent());
    const change_id = change !== context.change && change.wasJournaled === true ? change.id : undefined;
    return { ...presented, data: { ...presented.data, change_id } };
  },
});
