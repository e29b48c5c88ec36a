import { compareValues } from '../../api/writes/compare-values.ts';
import type { Change, Journal, JournalReading, Part } from '../../api/writes/journal.ts';
import { createChannel, updateChannel } from '../../contract/community.ts';
import { updateLesson } from '../../contract/courses.ts';
import { operationById } from '../../contract/index.ts';
import type { OldValues } from '../../contract/lookups/old-values.ts';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/field-format.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import { oldValuesOf } from '../../mcp/read-before-update.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import { reportWaits } from '../enrollment/student-lookup.ts';
import { applyPlan, outlineRecord, withCourseLock } from '../outline/apply-plan.ts';
import { planCourse, readCourse } from '../outline/plan-course.ts';
import { patientApi } from '../students/plan-offboarding.ts';
import { decidedBy, judgeAccess, type Step, type Students, type Verdict } from './judge-access.ts';

// Plans an undo and makes it. Both judge each write in the same order by what the API shows now; only the second one sends.

export function journalOf({ journal }: Pick<ToolContext, 'journal'>): Journal {
  if (journal === undefined) throw new AcademyError('internal', 'this server keeps no journal');
  return journal;
}

/** Most writes of unknown outcome that one call looks for. */
const maxSettled = 20;

/** Looks for the writes of these changes whose outcome is unknown. Returns whether it saw any. */
export async function settleUnknown(changes: readonly Change[], { settleUnknown: settle, api }: ToolContext) {
  const parts = changes.flatMap((change) => change.parts).filter(({ outcome }) => outcome === 'outcome_unknown');
  return await settle(parts.slice(0, maxSettled), api);
}

export const isOutline = ({ operation }: Part) => operation === outlineRecord.id;

/** What a change did, oldest first. The writes of an outline make no sense alone. */
export function unitsOf({ parts }: Change): Part[] {
  const courses = new Set(parts.filter(isOutline).map(({ course }) => course));
  return parts.filter(({ operation, course }) => operation !== updateLesson.id || !courses.has(course));
}

export const outlineName = ({ course }: Part) => `outline of course ${course}`;

/** One thing to undo. */
interface Item {
  readonly change: Change;
  readonly part: Part;
}

/** What became, or would become, of one write. */
export interface UndoLine {
  readonly change: Change;
  readonly state: 'undone' | 'unknown' | Extract<Verdict, { state: string }>['state'];
  readonly text: string;
}

interface Run {
  readonly context: ToolContext;
  readonly journal: JournalReading;
  readonly isPlan: boolean;
  readonly renames: boolean;
  readonly students: Students;
  /** Records as they are now, with the effects of the steps so far. */
  readonly records: Map<string, OldValues>;
  /** The oldest write that decides what a student holds: only that one is undone. */
  readonly deciding: Map<string, string>;
  /** The steps of a plan so far: what they change cannot be compared yet. */
  readonly planned: Part[];
}

const shortText = (value: unknown) =>
  typeof value === 'string' && value.length > 80
    ? `a text of ${value.length} characters`
    : oneLine(JSON.stringify(value ?? null), 100);

/** The record of an update as it is now, read once; without values if there is none. */
async function recordNow(operation: Operation, params: Json, course: unknown, run: Run): Promise<[string, OldValues]> {
  const key = `${operation.id} ${JSON.stringify(params)}`;
  const place = typeof course === 'number' ? { ...params, course_id: course } : params;
  const reading = run.records.get(key) ?? oldValuesOf(operation)?.(place, run.context);
  const read = await Promise.resolve(reading ?? { values: {} }).catch((error: unknown) => {
    if (error instanceof AcademyError && error.code === 'not_found') return { values: {} };
    throw error;
  });
  run.records.set(key, read);
  return [key, read];
}

/** Compares each field that a write sent with what it was, what we wrote, and what it is now. */
async function judgeUpdate(operation: Operation, part: Part, run: Run): Promise<Verdict[]> {
  const { input, shown, old, course } = part;
  const params = Object.fromEntries(Object.keys(operation.params).map((name) => [name, input[name]]));
  const [key, read] = await recordNow(operation, params, course, run);
  const isOpen = course !== undefined && run.planned.some((one) => isOutline(one) && one.course === course);
  const now = isOpen ? { ...read, values: { ...read.values, ...input } } : read;
  const named = Object.entries(params)
    .map(([param, value]) => `${param} ${oneLine(String(value), 100)}`)
    .join(', ');
  if (Object.keys(now.values).length === 0)
    return [{ state: 'refused', text: `${named}: the API does not show it now` }];
  const fields: Json = {};
  const verdicts: Verdict[] = [];
  const [texts, lost]: [string[], string[]] = [[], []];
  for (const name of Object.keys(operation.body).filter((one) => input[one] !== undefined)) {
    const schema = argumentSchema(operation, name);
    const before = old?.values[name];
    const current = now.values[name];
    const isSame = (one: unknown) => compareValues(one, current, formatOf(schema)) !== 'other';
    const isReadable =
      before !== undefined && old?.cut?.includes(name) !== true && schema?.safeParse(before).success === true;
    if (!isReadable) lost.push(name);
    else if (compareValues(before, current, formatOf(schema)) === 'same') continue;
    else if (current !== undefined && (isSame(input[name]) || (shown[name] !== undefined && isSame(shown[name])))) {
      fields[name] = before;
      texts.push(`${name}: ${shortText(current)} -> ${shortText(before)}`);
    } else {
      const values = `${name} was ${shortText(before)}, this change set ${shortText(input[name])}, now it is ${shortText(current)}`;
      verdicts.push({ state: 'conflict', text: `${named}: changed since: ${values}` });
    }
  }
  if (lost.length > 0)
    verdicts.unshift({ state: 'lost', text: `${named}: the API does not show the old value of ${lost.join(', ')}` });
  // A lesson that goes back to its module goes back to its place in it.
  if ('module_id' in fields && fields.sequence === undefined && typeof old?.values.sequence === 'number')
    fields.sequence = old.values.sequence;
  const changed = Object.keys(fields);
  if (changed.length === 0)
    return verdicts.length > 0 ? verdicts : [{ state: 'idle', text: `${named}: nothing is left to change` }];
  run.records.set(key, { ...now, values: { ...now.values, ...fields } });
  const overwritten = Object.fromEntries(changed.map((name) => [name, now.values[name]]));
  const text = `${named}: ${texts.join(', ')}`;
  return [...verdicts, { operation, input: { ...params, ...fields }, text, old: { ...now, values: overwritten } }];
}

const maxName = 255;

/** A created record stays, hidden: as if it had been hidden before, and had this name. */
async function judgeCreation(part: Part, run: Run): Promise<Verdict[]> {
  const { created, input, shown } = part;
  if (created === undefined) return [{ state: 'refused', text: 'the id of what it created is not known' }];
  const [operation, place, flag, hidden, name] =
    part.operation === createChannel.id
      ? ([updateChannel, { id_or_slug: String(created) }, 'locked', true, 'name'] as const)
      : ([updateLesson, { lesson_id: created }, 'is_published', false, 'title'] as const);
  const own = { ...input, ...shown };
  const set = { [flag]: own[flag] ?? !hidden, ...(run.renames ? { [name]: own[name] } : {}) };
  const values = { [flag]: hidden, ...(run.renames ? { [name]: `Undone: ${own[name]}`.slice(0, maxName) } : {}) };
  const { course_id } = input;
  const course = typeof course_id === 'number' ? course_id : undefined;
  const verdicts = await judgeUpdate(
    operation,
    { ...part, input: { ...place, ...set }, shown: {}, old: { values }, course },
    run,
  );
  const stays = 'it stays, since the API deletes nothing';
  return verdicts.map((one) => ('state' in one ? one : { ...one, text: `${one.text}; ${stays}` }));
}

/** Undoes the outline of a course. Returns whether, read back, it is as it was. */
async function undoOutline({ id, course = 0, old, shown }: Part, context: ToolContext): Promise<boolean> {
  return await withCourseLock(course, context, async () => {
    const plan = await planCourse({ course_id: course, ...old?.values }, context, String(shown.version));
    return (await applyPlan(plan, course, context, id)).verified;
  });
}

/** "products.updateProduct" is update_product. */
const toolOf = ({ operation }: Part) =>
  (operation.split('.')[1] ?? 'apply_course_outline').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Why a thing is not even judged. */
function obstacle({ change, part }: Item, { journal, context }: Run): Extract<Verdict, { state: string }> | undefined {
  const tool = toolOf(part);
  const refused = (text: string) => ({ state: 'refused', text: `${tool}: ${text}` }) as const;
  const idle = (text: string) => ({ state: 'idle', text: `${tool}: ${text}` }) as const;
  if (part.outcome === 'not_applied' && !isOutline(part)) return idle('it was not applied');
  if (journal.isUndone(part.id)) return idle('it is already undone');
  const isAllowed = context.has(tool) || (change.tool !== 'undo_change' && context.has(change.tool));
  if (!isAllowed) return refused('this connection may not do this itself, so it may not undo it');
  if (isOutline(part)) return undefined;
  if (part.outcome !== 'applied') return refused(`its outcome is ${part.outcome}: check it first with the read tools`);
  const operation = operationById(part.operation);
  if (operation === undefined) return refused('this version does not know the operation');
  return operation.undo === 'none' ? refused('the API has no way to undo this') : undefined;
}

/** An outline is undone if nobody has changed the course since. */
async function judgeOutline(part: Part, { planned, context }: Run): Promise<Verdict> {
  const { course = 0, shown } = part;
  const text = `${outlineName(part)}: order, titles and publication as before this change`;
  if (planned.some((one) => courseOf(one) === course)) return { text: `${text}, if others have not changed it` };
  if (shown.version === (await readCourse(course, context)).version) return { text };
  const why = 'the course was changed since; plan it with plan_course_outline';
  return { state: 'conflict', text: `${outlineName(part)}: ${why}` };
}

async function judge(item: Item, run: Run): Promise<Verdict[]> {
  const { part } = item;
  const stop = obstacle(item, run);
  const operation = operationById(part.operation);
  if (stop !== undefined) return [stop];
  if (operation === undefined) return [await judgeOutline(part, run)];
  if (operation.undo === 'restore') return await judgeUpdate(operation, part, run);
  if (operation.undo === 'hide') return await judgeCreation(part, run);
  return await judgeAccess(part, (what) => run.deciding.get(what) === part.id, run.students, run.context);
}

/** Sends one step. */
async function make({ part }: Item, step: Step, run: Run): Promise<Omit<UndoLine, 'change'>> {
  const { context, students, records } = run;
  const { operation, input, old, text } = step;
  let isIgnored = false;
  const failed = (why: string) => ({ state: 'failed', text: `${text}: ${why}` }) as const;
  try {
    if (operation !== undefined && input !== undefined)
      await context.api.call(operation, input as never, {
        journal: { old, undoes: part.id },
        onNote: ({ acceptedFields }) => {
          isIgnored = acceptedFields !== undefined && acceptedFields.outcome !== 'applied';
        },
      });
    else if (!(await undoOutline(part, context)))
      return failed('not all lessons are as before; get_course_structure shows the course');
  } catch (error) {
    if (!(error instanceof AcademyError)) throw error;
    if (operation === undefined || error.outcome === 'not_applied') return failed(reasonOf(error));
    return { state: 'unknown', text: `${text}: ${reasonOf(error)}` };
  }
  // Read again by the next step.
  students.delete(String(input?.email));
  if (operation === undefined) records.clear();
  return isIgnored
    ? { state: 'unknown', text: `${text}: the API accepted it, and shows other values` }
    : { state: 'undone', text };
}

/** The course that a step changes. */
const courseOf = ({ course, input }: Part): unknown => course ?? input.course_id;

/** Most steps of one call: a person reads the plan of all of them. */
const maxSteps = 100;

export interface UndoResult {
  readonly lines: readonly UndoLine[];
  /** Older writes for the next call. */
  readonly left: number;
}

/**
 * Undoes changes, the newest first, or plans it. Stops at the first step that fails. `renames`: created records get another
 * name, too.
 */
export async function undoChanges(
  ids: readonly string[],
  { isPlan, renames }: Pick<Run, 'isPlan' | 'renames'>,
  context: ToolContext,
): Promise<UndoResult> {
  const wanted = new Set(ids);
  const chosen = ({ changes }: JournalReading) => changes.filter(({ id }) => wanted.has(id)).reverse();
  await settleUnknown(chosen(journalOf(context).read()), context);
  const journal = journalOf(context).read();
  const itemsOf = (change: Change) =>
    unitsOf(change)
      .map((part): Item => ({ change, part }))
      .reverse();
  const all = chosen(journal).flatMap(itemsOf);
  const open = all.filter(({ part }) => !journal.isUndone(part.id));
  const items = open.length > 0 ? open : all;
  const terms = reportWaits(context, () => 0, Math.min(items.length, maxSteps));
  const own = { context: { ...context, api: patientApi(context, terms) }, journal, isPlan, renames };
  const run: Run = { ...own, students: new Map(), records: new Map(), deciding: new Map(), planned: [] };
  for (const item of items)
    if (obstacle(item, run) === undefined)
      for (const what of decidedBy(item.part)) run.deciding.set(what, item.part.id);
  const lines: UndoLine[] = [];
  let steps = 0;
  for (const [index, item] of items.entries()) {
    if (steps >= maxSteps) return { lines, left: items.length - index };
    const verdicts = await judge(item, run).catch((error: unknown): Verdict[] => {
      // What is done so far must be reported.
      if (isPlan || !(error instanceof AcademyError)) throw error;
      return [{ state: 'failed', text: reasonOf(error) }];
    });
    for (const verdict of verdicts) {
      const isStep = !('state' in verdict);
      if (isStep && !isPlan && context.signal.aborted) return { lines, left: 0 };
      const planned = isStep ? { ...verdict, state: 'undone' as const } : verdict;
      const { state, text } = isStep && !isPlan ? await make(item, verdict, run) : planned;
      lines.push({ change: item.change, state, text });
      if (isStep) steps += 1;
      if (isStep && isPlan) run.planned.push(item.part);
      if (state === 'failed' || state === 'unknown') return { lines, left: 0 };
    }
  }
  return { lines, left: 0 };
}
