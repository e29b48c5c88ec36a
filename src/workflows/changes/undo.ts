import { compareValues } from '../../api/writes/compare-values.ts';
import type { Change, Part } from '../../api/writes/journal.ts';
import { createChannel, updateChannel } from '../../contract/community.ts';
import { updateLesson } from '../../contract/courses.ts';
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
import { patientApi } from '../students/plan-offboarding.ts';
import { type AccessState, type Judged, judgeAccess, newAccessState, noteAccess } from './judge-access.ts';
import { isAsLeft, isOfOutline, outlinesIn, undoOutline } from './outline-change.ts';
import { type Changes, operationOf, readChanges, verifyUnknown } from './read-changes.ts';

// Plans an undo and makes it. Both judge each write in the same order by what the API shows now; only the second one sends.

/** What became, or would become, of one write. */
export interface UndoLine {
  readonly change: Change;
  /** `lost`: fields of a restored record. `conflict`: changed since by others. `idle`: nothing is left to undo. */
  readonly state: 'undone' | 'lost' | 'conflict' | 'refused' | 'failed' | 'unknown' | 'idle';
  readonly text: string;
}

interface Run {
  readonly context: ToolContext;
  readonly changes: Changes;
  /** Only plans: sends nothing. */
  readonly isPlan: boolean;
  readonly access: AccessState;
  /** Records as they are now, with the effects of the steps so far. */
  readonly records: Map<string, OldValues>;
  readonly lines: UndoLine[];
}

const shortText = (value: unknown) =>
  typeof value === 'string' && value.length > 80
    ? `a text of ${value.length} characters`
    : oneLine(JSON.stringify(value ?? null), 100);

/** The record of an update as it is now, read once. */
async function recordNow(operation: Operation, input: Json, course: unknown, run: Run): Promise<[string, OldValues]> {
  const names = Object.keys(operation.params);
  const params = Object.fromEntries(names.map((name) => [name, input[name]]));
  const key = `${operation.id} ${JSON.stringify(params)}`;
  const place = typeof course === 'number' ? { ...params, course_id: course } : params;
  const read = run.records.get(key) ?? (await oldValuesOf(operation)?.(place, run.context)) ?? { values: {} };
  run.records.set(key, read);
  return [key, read];
}

function noteRecord(key: string, fields: Json, run: Run): void {
  const { values = {}, cut = [] } = run.records.get(key) ?? {};
  run.records.set(key, { values: { ...values, ...fields }, cut });
}

interface Restoration {
  /** What to write. */
  readonly fields: Json;
  readonly shown: readonly string[];
  readonly lost: readonly string[];
  readonly conflicts: readonly string[];
}

/** Compares each field that a write sent with what it was, what we wrote, and what it is now. */
function restorationOf(operation: Operation, part: Part, now: OldValues): Restoration {
  const { input, shown, old } = part;
  const names = Object.keys(operation.body).filter((name) => input[name] !== undefined);
  const fields: Json = {};
  const [texts, lost, conflicts]: [string[], string[], string[]] = [[], [], []];
  for (const name of names) {
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
    } else
      conflicts.push(
        `${name} was ${shortText(before)}, this change set ${shortText(input[name])}, now it is ${shortText(current)}`,
      );
  }
  // A lesson that goes back to its module goes back to its place in it.
  if ('module_id' in fields && fields.sequence === undefined && typeof old?.values.sequence === 'number')
    fields.sequence = old.values.sequence;
  return { fields, shown: texts, lost, conflicts };
}

const recordName = ({ params }: Operation, input: Json) =>
  Object.keys(params)
    .map((name) => `${name} ${oneLine(String(input[name]), 100)}`)
    .join(', ');

async function judgeUpdate(change: Change, part: Part, operation: Operation, run: Run): Promise<Judged | undefined> {
  const { input } = part;
  const [key, now] = await recordNow(operation, input, part.course, run);
  const { fields, shown, lost, conflicts } = restorationOf(operation, part, now);
  const name = recordName(operation, input);
  const add = (state: UndoLine['state'], text: string) => run.lines.push({ change, state, text: `${name}: ${text}` });
  if (lost.length > 0) add('lost', `the API does not show the old value of ${lost.join(', ')}`);
  for (const conflict of conflicts) add('conflict', `changed since: ${conflict}`);
  if (Object.keys(fields).length === 0) {
    if (lost.length + conflicts.length === 0) add('idle', 'it is as it was before');
    return undefined;
  }
  const params = Object.fromEntries(Object.keys(operation.params).map((one) => [one, input[one]]));
  noteRecord(key, fields, run);
  const old = {
    values: Object.fromEntries(Object.keys(fields).map((one) => [one, now.values[one]])),
    cut: now.cut ?? [],
  };
  return { operation, input: { ...params, ...fields }, text: `${name}: ${shown.join(', ')}`, old };
}

/** A created record stays, hidden. If somebody else has changed whether it is hidden, it stays as it is. */
async function judgeCreation(part: Part, run: Run): Promise<Judged> {
  const { created, input, shown } = part;
  if (created === undefined) return { refused: 'the id of what it created is not known' };
  const isChannel = part.operation === createChannel.id;
  const [operation, field, hidden, place] = isChannel
    ? ([updateChannel, 'locked', true, { id_or_slug: String(created) }] as const)
    : ([updateLesson, 'is_published', false, { lesson_id: created }] as const);
  const [key, { values }] = await recordNow(operation, place, input.course_id, run);
  const current = values[field];
  const name = `${isChannel ? 'channel' : 'lesson'} ${created}`;
  if (current === undefined) return { refused: `${name} is not shown any more`, isIdle: true };
  if (current === hidden)
    return { refused: `${name} is already ${isChannel ? 'locked' : 'unpublished'}`, isIdle: true };
  const ours = shown[field] ?? input[field];
  if (ours === hidden)
    return {
      refused: `${name}: changed since: ${field} was ${hidden} when it was created, now it is ${String(current)}`,
    };
  noteRecord(key, { [field]: hidden }, run);
  const text = `${name} is ${isChannel ? 'locked' : 'unpublished'}; it stays, since the API deletes nothing`;
  return { operation, input: { ...place, [field]: hidden }, text, old: { values: { [field]: current } } };
}

/** "products.updateProduct" is update_product. */
const toolOf = ({ operation }: Part) =>
  (operation.split('.')[1] ?? '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Why a write is not even judged. */
function obstacle(
  change: Change,
  part: Part,
  operation: Operation | undefined,
  { changes, context }: Run,
): UndoLine | undefined {
  const line = (state: UndoLine['state'], text: string) => ({ change, state, text: `${toolOf(part)}: ${text}` });
  if (part.outcome === 'not_applied') return line('idle', 'it was not applied');
  if (changes.isUndone(part.id)) return line('idle', 'it is already undone');
  const isAllowed = context.has(toolOf(part)) || (change.tool !== 'undo_change' && context.has(change.tool));
  if (!isAllowed) return line('refused', 'this connection may not do this itself, so it may not undo it');
  if (part.outcome !== 'applied')
    return line('refused', `its outcome is ${part.outcome}: check it first with the read tools`);
  if (operation === undefined) return line('refused', 'this version does not know the operation');
  return operation.undo === 'none' ? line('refused', 'the API has no way to undo this') : undefined;
}

async function judgePart(change: Change, part: Part, operation: Operation, run: Run): Promise<(Judged | undefined)[]> {
  if (operation.undo === 'restore') return [await judgeUpdate(change, part, operation, run)];
  if (operation.undo === 'hide') return [await judgeCreation(part, run)];
  return await judgeAccess(part, run.access, run.context);
}

/** Sends one step. Returns false if no further one should be sent. */
async function send(change: Change, part: Part, step: Extract<Judged, { text: string }>, run: Run): Promise<boolean> {
  const { operation, input, text, old } = step;
  const isAccess = operation.undo === 'compensate';
  const sentAt = Date.now();
  const line = (state: UndoLine['state'], words: string) => run.lines.push({ change, state, text: words });
  if (run.isPlan) {
    if (isAccess) noteAccess(step, run.access);
    line('undone', text);
    return true;
  }
  let isIgnored = false;
  try {
    await run.context.api.call(operation, input as never, {
      journal: { old, undoes: part.id },
      onNote: ({ acceptedFields }) => {
        isIgnored = acceptedFields !== undefined && acceptedFields.outcome !== 'applied';
      },
    });
  } catch (error) {
    if (!(error instanceof AcademyError)) throw error;
    line(error.outcome === 'not_applied' ? 'failed' : 'unknown', `${text}: ${reasonOf(error)}`);
    return false;
  }
  if (isAccess) noteAccess(step, run.access, sentAt);
  line(isIgnored ? 'unknown' : 'undone', isIgnored ? `${text}: the API accepted it, and shows other values` : text);
  return true;
}

async function runOutlines(change: Change, run: Run): Promise<boolean> {
  const add = (state: UndoLine['state'], text: string) => run.lines.push({ change, state, text });
  for (const outline of outlinesIn(change)) {
    const name = `outline of course ${outline.course_id}`;
    if (run.changes.isUndone(change.id)) add('idle', `${name}: it is already undone`);
    else if (!run.context.has('apply_course_outline'))
      add('refused', `${name}: this connection may not change outlines`);
    else if (!(await isAsLeft(outline, run.context)))
      add('conflict', `${name}: the course was changed since; plan it with plan_course_outline`);
    else if (run.isPlan || (await undoOutline(change, outline, run.context)))
      add('undone', `${name}: order, titles and publication as before this change`);
    else {
      add('failed', `${name}: not all lessons are as before; get_course_structure shows the course`);
      return false;
    }
  }
  return true;
}

async function runChange(change: Change, run: Run): Promise<boolean> {
  if (!(await runOutlines(change, run))) return false;
  for (const part of change.parts.toReversed().filter((one) => !isOfOutline(change, one))) {
    const operation = operationOf(part);
    const stop = obstacle(change, part, operation, run);
    if (stop !== undefined || operation === undefined) {
      if (stop !== undefined) run.lines.push(stop);
      continue;
    }
    for (const judged of await judgePart(change, part, operation, run)) {
      if (judged === undefined) continue;
      if ('refused' in judged) {
        const state =
          judged.isIdle === true ? 'idle' : judged.refused.includes('changed since') ? 'conflict' : 'refused';
        run.lines.push({ change, state, text: judged.refused });
      } else if (run.context.signal.aborted || !(await send(change, part, judged, run))) return false;
    }
  }
  return true;
}

/** Undoes changes, the newest first, or plans it. Stops at the first step that fails. */
export async function undoChanges(ids: readonly string[], isPlan: boolean, context: ToolContext): Promise<UndoLine[]> {
  const wanted = new Set(ids);
  const chosen = (changes: Changes) => changes.changes.filter(({ id }) => wanted.has(id));
  await verifyUnknown(chosen(readChanges(context)), context);
  const changes = readChanges(context);
  const api = patientApi(
    context,
    reportWaits(context, () => 0, wanted.size),
  );
  const own = { ...context, api };
  const run: Run = { context: own, changes, isPlan, access: newAccessState(), records: new Map(), lines: [] };
  for (const change of chosen(changes).reverse()) if (!(await runChange(change, run))) break;
  return run.lines;
}
