import { undefinedIfNotFound } from '../../api/partial-failure.ts';
import type { Change, JournalReading, Part } from '../../api/writes/journal.ts';
import { compareValues } from '../../api/writes/judge-answer.ts';
import { createChannel, updateChannel } from '../../contract/community.ts';
import { updateLesson } from '../../contract/courses.ts';
import { operationById } from '../../contract/index.ts';
import type { OldValues } from '../../contract/lookups.ts';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/input-fields.ts';
import type { Fate } from '../../insights/enrollment/plan.ts';
import { changeShown, valueShown } from '../../mcp/confirmation/confirmation-message.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import { oldValuesOf } from '../../mcp/titles.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { undoWords } from '../../mcp/undo-words.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import { patient } from '../batch.ts';
import { failureOf, fateOf } from '../enrollment/in-turn.ts';
import { applyPlan, outlineRecord, planCourse, readCourse, withCourseLock } from '../outline/course-plan.ts';
import { idle, judgeAccess, refused, type Students, targetsOf, type Verdict } from './judge-access.ts';

// Plans an undo and makes it. Both judge each write in the same order by what the API shows now; only the second one sends.

/** Most writes of unknown outcome that one call looks for. */
const maxSettled = 20;

/** The journal, after a look for the writes of these changes whose outcome is unknown. */
export async function readSettled(choose: Choice, context: ToolContext): Promise<JournalReading> {
  const { journal, settleUnknown, api } = context;
  if (journal === undefined) throw new AcademyError('internal', 'this server keeps no journal');
  const first = journal.read();
  const parts = choose(first).flatMap((change) => change.parts);
  const open = parts.filter(({ outcome }) => outcome === 'outcome_unknown').slice(0, maxSettled);
  if (open.length === 0) return first;
  await settleUnknown(open, api);
  return journal.read();
}

/** Chooses changes, the oldest first. */
export type Choice = (journal: JournalReading) => readonly Change[];

export const isOutline = ({ operation }: Part) => operation === outlineRecord.id;

/** What a change did, oldest first. The writes of an outline make no sense alone. */
export function unitsOf({ parts }: Change): Part[] {
  const courses = new Set(parts.filter(isOutline).map(({ course }) => course));
  return parts.filter(({ operation, course }) => operation !== updateLesson.id || !courses.has(course));
}

export const outlineName = ({ course }: Part) => `outline of course ${course}`;

export interface UndoLine extends Pick<Verdict, 'state' | 'text'> {
  readonly change: Change;
}

interface Run {
  readonly context: ToolContext;
  readonly journal: JournalReading;
  readonly renames: boolean;
  readonly students: Students;
  /** The writes that are undone, if nothing that is read speaks against it. */
  readonly free: readonly Part[];
  /** Records as they are now, with the effects of the steps that are planned so far. */
  readonly records: Map<string, OldValues>;
  /** The oldest write that decides what a student holds: only that one is undone. */
  readonly deciding: ReadonlyMap<string, string>;
  /** The steps of a plan so far: what they change cannot be compared yet. */
  readonly planned: readonly Part[];
}

const pick = (values: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, values[name]]));

/** Of a value in a plan, in characters. */
const maxValue = 200;

/** What becomes of one field that a write sent: it is as before, or was sent unchanged; its old value is not known; or others have changed it. */
function fieldState(operation: Operation, name: string, { input, shown, old }: Part, now: unknown) {
  const schema = argumentSchema(operation, name);
  const before = old?.values[name];
  const format = formatOf(schema);
  const isOurs = (one: unknown) => one !== undefined && compareValues(one, now, format) !== 'other';
  if (before === undefined || old?.cut?.includes(name) || schema?.safeParse(before).success !== true) return 'lost';
  if ([now, input[name]].some((one) => compareValues(before, one, format) === 'same')) return 'idle';
  return now !== undefined && (isOurs(input[name]) || isOurs(shown[name])) ? 'changes' : 'conflict';
}

/** Compares each field that a write sent with what it was, what we wrote, and what it is now. */
async function judgeUpdate(operation: Operation, part: Part, run: Run): Promise<Verdict[]> {
  const { input, course, old: { values: old, id } = { values: {} } } = part;
  // One record has one name here, and a slug may change.
  const names = { ...input, ...(id !== undefined && { id_or_slug: String(id) }) };
  const params = pick(names, Object.keys(operation.params));
  const named = Object.entries(params).map(([param, value]) => `${param} ${oneLine(String(value), 100)}`);
  const say = (state: Verdict['state'], text: string): Verdict => ({ state, text: `${named.join(', ')}: ${text}` });
  const key = `${operation.id} ${named}`;
  const ids = course === undefined ? params : { ...params, course_id: course };
  const reading = Promise.resolve(run.records.get(key) ?? oldValuesOf(operation)?.(ids, run.context));
  const read = (await undefinedIfNotFound(reading)) ?? { values: {} };
  run.records.set(key, read);
  const isOpen = course !== undefined && run.planned.some((one) => isOutline(one) && one.course === course);
  const now = isOpen ? { ...read.values, ...input } : read.values;
  const isFindable = operation !== updateLesson || course !== undefined;
  const unread = isFindable
    ? 'the API does not show it now'
    : 'its course is not known, and the API shows a lesson only there';
  if (Object.keys(now).length === 0) return [say('refused', unread)];
  const sent = Object.keys(operation.body).filter((name) => input[name] !== undefined);
  const of = (state: string) => sent.filter((name) => fieldState(operation, name, part, now[name]) === state);
  const [lost, changed] = [of('lost'), of('changes')];
  const verdicts = of('conflict').map((name) => {
    const [before, ours, current] = [old, input, now].map((values) => valueShown(values[name] ?? null, maxValue));
    return say('conflict', `changed since: ${name} was ${before}, this change set ${ours}, now it is ${current}`);
  });
  if (lost.length > 0) verdicts.unshift(say('lost', `the API does not show the old value of ${lost.join(', ')}`));
  if (changed.length === 0) return verdicts.length > 0 ? verdicts : [say('idle', 'nothing is left to change')];
  // A lesson that goes back to its module goes back to its place in it.
  const hasPlace = changed.includes('module_id') && old.module_id !== undefined && typeof old.sequence === 'number';
  const fields = pick(old, hasPlace ? [...changed, 'sequence'] : changed);
  run.records.set(key, { ...read, values: { ...now, ...fields } });
  const overwritten = { ...read, values: pick(now, Object.keys(fields)) };
  const texts = changed.map((name) => `${name}: ${changeShown(name, fields[name], overwritten, maxValue)}`);
  const request = { operation, input: { ...params, ...fields }, old: overwritten };
  return [...verdicts, { ...say('undone', texts.join(', ')), request }];
}

const maxName = 255;

/** A created record stays, hidden: as if it had been hidden before, and had this name. */
async function judgeCreation(part: Part, run: Run): Promise<Verdict[]> {
  const { operation, created, input, shown, course = input.course_id } = part;
  if (created === undefined) return [refused('the id of what it created is not known')];
  const [update, ids, flag, hidden, name] =
    operation === createChannel.id
      ? ([updateChannel, { id_or_slug: String(created) }, 'locked', true, 'name'] as const)
      : ([updateLesson, { lesson_id: created }, 'is_published', false, 'title'] as const);
  const own = { ...input, ...shown };
  const set = { [flag]: own[flag] ?? !hidden, ...(run.renames && { [name]: own[name] }) };
  const values = { [flag]: hidden, ...(run.renames && { [name]: `Undone: ${own[name]}`.slice(0, maxName) }) };
  const inCourse = typeof course === 'number' && { course };
  const asUpdate = { ...part, input: { ...ids, ...set }, shown: {}, old: { values }, ...inCourse };
  const verdicts = await judgeUpdate(update, asUpdate, run);
  const stays = 'it stays, since the API deletes nothing';
  return verdicts.map((one) => (one.state === 'undone' ? { ...one, text: `${one.text}; ${stays}` } : one));
}

/** Undoes the outline of a course. Returns whether, read back, it is as it was. */
async function undoOutline({ id, course = 0, old, shown }: Part, context: ToolContext): Promise<boolean> {
  return await withCourseLock(course, context, async () => {
    const plan = await planCourse({ course_id: course, ...old?.values }, context, String(shown.version));
    return (await applyPlan(plan, course, context, id)).verified;
  });
}

/** "products.updateProduct" is update_product. */
export const toolOf = ({ operation }: Part) =>
  (operation.split('.')[1] ?? 'apply_course_outline').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whether all of a write is undone. What it gave or took is undone one by one. */
export function isUndone(part: Part, { undosOf }: JournalReading): boolean {
  return undosOf(part.id).length >= Math.max(1, targetsOf(part).length);
}

/** Why a write is not even judged. */
function obstacle(part: Part, change: Change, journal: JournalReading, { has }: ToolContext): Verdict | undefined {
  const tool = toolOf(part);
  const { outcome } = part;
  const no = (text: string) => refused(`${tool}: ${text}`);
  if (outcome === 'not_applied' && !isOutline(part)) return idle(`${tool}: it was not applied`);
  if (isUndone(part, journal)) return idle(`${tool}: it is already undone`);
  const isAllowed = has(tool) || (change.tool !== 'undo_change' && has(change.tool));
  if (!isAllowed) return no('this connection may not do this itself, so it may not undo it');
  if (isOutline(part)) return undefined;
  if (outcome !== 'applied') return no(`its outcome is ${outcome}: check it first with the read tools`);
  const { undo, undoWith } = operationById(part.operation) ?? {};
  if (undo === undefined) return no('this version does not know the operation');
  return undo === 'none' ? no(undoWith ?? 'the API has no way to undo this') : undefined;
}

/** An update of which no old value was read: its undo has nothing to write. */
function hasNoOld({ operation: id, input, old }: Part): boolean {
  const { undo, body = {} } = operationById(id) ?? {};
  return undo === 'restore' && Object.keys(body).every((name) => !(name in input) || old?.values[name] === undefined);
}

/** Whether and how a change can be undone, as far as it is known without a request; undefined if nothing is left to undo. */
export function canUndo(change: Change, journal: JournalReading, context: ToolContext): string | undefined {
  const judged = unitsOf(change).map((part) => ({ part, stop: obstacle(part, change, journal, context) }));
  const open = judged.filter(({ stop }) => stop?.state !== 'idle');
  if (open.length === 0) return undefined;
  const isHere = context.has('undo_change');
  const free = open.filter(({ part, stop }) => (!isHere || stop === undefined) && !hasNoOld(part));
  const stops = isHere ? open.flatMap(({ stop }) => stop?.text ?? []) : [];
  if (open.some(({ part }) => hasNoOld(part))) stops.push('no: the old values could not be read');
  const operations = free.flatMap(({ part }) =>
    isOutline(part) ? outlineRecord : (operationById(part.operation) ?? []),
  );
  return [undoWords(operations, context), ...new Set(stops)].filter(Boolean).join('; ');
}

/** An outline is undone if the course has not changed since. */
async function judgeOutline(part: Part, { planned, context }: Run): Promise<Verdict> {
  const { course = 0, shown } = part;
  const say = (state: Verdict['state'], text: string) => ({ state, text: `${outlineName(part)}: ${text}` });
  const text = 'order, titles and publication as before this change';
  // What newer steps of this plan change cannot be compared yet.
  const isPlanned = planned.some(({ course: own, input }) => (own ?? input.course_id) === course);
  if (isPlanned) return say('undone', `${text}, if others have not changed it`);
  if (shown.version === (await readCourse(course, context)).version) return say('undone', text);
  return say('conflict', 'the course was changed since; plan it with plan_course_outline');
}

async function judge(part: Part, change: Change, run: Run): Promise<Verdict[]> {
  const stop = obstacle(part, change, run.journal, run.context);
  if (stop !== undefined) return [stop];
  const operation = operationById(part.operation);
  if (operation === undefined) return [await judgeOutline(part, run)];
  if (operation.undo === 'restore') return await judgeUpdate(operation, part, run);
  if (operation.undo === 'hide') return await judgeCreation(part, run);
  return await judgeAccess(part, (what) => run.deciding.get(what) === part.id, run, run.context);
}

async function send(part: Part, { request }: Verdict, context: ToolContext): Promise<Fate> {
  if (request === undefined) {
    const isRestored = await undoOutline(part, context);
    const why = 'not all lessons are as before; get_course_structure shows the course';
    return isRestored ? { state: 'applied' } : { state: 'failed', why };
  }
  const { operation, input, old } = request;
  const journal = { old, undoes: part.id };
  return await fateOf((own) => context.api.call(operation, input as never, { ...own, journal }));
}

async function make(part: Part, verdict: Verdict, context: ToolContext): Promise<Verdict> {
  const { state, why = '' } = await send(part, verdict, context).catch(failureOf);
  if (state === 'applied') return verdict;
  return { state: state === 'unknown' ? state : 'failed', text: `${verdict.text}: ${why}` };
}

/** Most steps of one call: a person reads the plan of all of them. */
const maxSteps = 100;

/**
 * Undoes changes, the newest first, or plans it. Stops at the first step that fails. `renames`: created records get another
 * name, too. `left`: older writes for the next call.
 */
export async function undoChanges(
  choose: Choice,
  { isPlan, renames }: { readonly isPlan: boolean; readonly renames: boolean },
  callContext: ToolContext,
): Promise<{ readonly lines: readonly UndoLine[]; readonly left: number }> {
  const journal = await readSettled(choose, callContext);
  const all = choose(journal)
    .flatMap((change) => unitsOf(change).map((part) => ({ part, change })))
    .reverse();
  const open = all.filter(({ part }) => !isUndone(part, journal));
  const items = open.length > 0 ? open : all;
  const context = patient(callContext, Math.min(items.length, maxSteps));
  const free = items.filter(({ part, change }) => obstacle(part, change, journal, context) === undefined);
  const parts = free.map(({ part }) => part);
  const deciding = new Map(parts.flatMap((part) => targetsOf(part).map(({ holding }) => [holding, part.id])));
  const planned: Part[] = [];
  const newRun = (): Run => {
    return { context, journal, renames, deciding, planned, free: parts, students: new Map(), records: new Map() };
  };
  const plan = newRun();
  const lines: UndoLine[] = [];
  let steps = 0;
  for (const [index, { part, change }] of items.entries()) {
    if (steps >= maxSteps) return { lines, left: items.length - index };
    // Each step reads again: others may have written during a wait.
    const verdicts = await judge(part, change, isPlan ? plan : newRun()).catch((error: unknown): Verdict[] => {
      // What is done so far must be reported.
      if (isPlan || !(error instanceof AcademyError)) throw error;
      return [{ state: 'failed', text: reasonOf(error) }];
    });
    for (const verdict of verdicts) {
      const isStep = verdict.state === 'undone';
      if (isStep && !isPlan && context.signal.aborted) return { lines, left: 0 };
      const { state, text } = isStep && !isPlan ? await make(part, verdict, context) : verdict;
      lines.push({ change, state, text });
      if (isStep) steps += 1;
      if (isStep && isPlan) planned.push(part);
      if (state === 'failed' || state === 'unknown') return { lines, left: 0 };
    }
  }
  return { lines, left: 0 };
}
