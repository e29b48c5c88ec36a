import type { CallOptions } from '../../api/api.ts';
import { nothingSentError } from '../../api/writes/write.ts';
import type { createLesson } from '../../contract/courses.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import type { Course, Lesson, List } from '../../insights/outline/course.ts';
import { type LandingPlace, landingIn, sequenceAt } from '../../insights/outline/lesson-changes.ts';
import { called, isAffordable, withDeadline } from '../../mcp/titles.ts';
import type { Titles, ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { firstOf, refuseInput } from '../../shared/invalid-input.ts';
import { createdLessons, planTtlMs } from '../scan-store.ts';
import { applyPlan, withCourseLock } from './apply-plan.ts';
import { planCourse, readCourse } from './plan-course.ts';

type CreateInput = InputOf<typeof createLesson>;
export type CreateQuestion = CreateInput & { readonly position?: number | undefined };
type Answer = ParsedResponse<(typeof createLesson)['response']>;
type Send = (input: CreateInput, options?: CallOptions) => Promise<Answer>;

export interface Creation {
  /** Whether an identical earlier call has created it, so that nothing was sent. */
  readonly isRepeated: boolean;
  /** Undefined if the course could not be read afterwards. */
  readonly landed?: LandingPlace | undefined;
  readonly lesson_id?: number | undefined;
  readonly renumbered?: number;
}

/** A creation, and the titles in the course that was read for it. */
interface Found extends Omit<Creation, 'isRepeated'> {
  readonly titles?: Titles;
}

type Created = readonly [Answer, Creation, Titles | undefined];

/** Most lessons that are renumbered for a new one; a person should see a longer change as a plan. */
const maxRenumbered = 30;
/** How long the answer waits for the place of a lesson without `position`, in milliseconds. */
const maxReadMs = 3_000;

const listOf = ({ module_id }: CreateQuestion) => module_id ?? null;

function keyOf(question: CreateQuestion): string {
  const given = Object.entries(question).filter(([, value]) => value !== undefined);
  return JSON.stringify(given.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function titlesIn({ lists }: Course, title: string | undefined, moduleId: number | null): Titles {
  const module = moduleId === null ? undefined : lists.find(({ module_id }) => module_id === moduleId)?.title;
  return {
    ...(title === undefined ? {} : { course_id: title }),
    ...(module === undefined || module.trim() === '' ? {} : { module_id: module }),
  };
}

function creationIn(
  { course, title }: { course: Course; title: string | undefined },
  question: CreateQuestion,
  id?: number,
) {
  const module_id = listOf(question);
  const found = landingIn(course.lists, { id, title: question.title, module_id });
  const titles = titlesIn(course, title, module_id);
  if (found === undefined) return { titles };
  const { lesson_id, ...landed } = found;
  return { titles, lesson_id, landed };
}

/** Where the lesson is now. Optional: undefined if the read would delay the answer, or fails. */
async function readPlace(question: CreateQuestion, context: ToolContext, id: number | undefined) {
  if (!isAffordable(context, 1)) return undefined;
  const quick = { ...context, api: withDeadline(context, maxReadMs) };
  const read = await readCourse(question.course_id, quick).catch(() => undefined);
  // One failed read is enough: the answer needs no titles.
  return read === undefined ? { titles: {} } : creationIn(read, question, id);
}

/** The course before the lesson is created. If it cannot be read, the error says that nothing was sent. */
async function readBefore(course_id: number, context: ToolContext) {
  try {
    return await readCourse(course_id, context);
  } catch (error) {
    throw error instanceof AcademyError ? nothingSentError(error) : error;
  }
}

type Before = Awaited<ReturnType<typeof readCourse>>;

const isNamesake = ({ title }: CreateQuestion, lesson: Lesson) => lesson.title === title;

const maxNamed = 12;

/** Without a module the lesson comes after all modules, so a position in the course is not what a caller may think. */
function refuseUnplaced({ lists }: Course, { module_id }: CreateQuestion): void {
  const modules = lists.flatMap(({ module_id: id, title }) => (id === null ? [] : [called('', id, title).trim()]));
  if (module_id !== undefined || modules.length === 0) return;
  const named = firstOf(modules, maxNamed, ', ');
  throw refuseInput([
    `position needs module_id, since a lesson in no module comes after all modules; null means no module, and the modules are ${named}`,
  ]);
}

/** The list that the lesson goes into. Throws `invalid_input` for an unknown module. */
function listIn({ course }: Before, question: CreateQuestion): List {
  refuseUnplaced(course, question);
  const list = course.lists.find(({ module_id }) => module_id === listOf(question));
  if (list === undefined) throw refuseInput([`module_id: the course shows no module ${question.module_id}`]);
  return list;
}

/** The number to send for a position. Throws if the lessons have no clear order, or the position is beyond the list. */
function numberFor(before: Before, list: List, question: CreateQuestion): number | undefined {
  const { position = 1 } = question;
  const unclear = before.clarity.lists.get(list.module_id);
  // Without a lesson of the same title, so that a repeated call sends the same number.
  const others = list.lessons.filter((lesson) => !isNamesake(question, lesson));
  const found = sequenceAt({ lessons: others }, position);
  const problem = unclear ?? ('problem' in found ? found.problem : undefined);
  if (problem !== undefined) throw refuseInput([`position: ${problem}`]);
  return 'problem' in found ? undefined : found.sequence;
}

/** Moves the new lesson to its position, if the API has put it elsewhere. */
async function moveTo(question: CreateQuestion, lesson_id: number, context: ToolContext) {
  const { course_id, position = 1 } = question;
  const module_id = listOf(question);
  return await withCourseLock(course_id, context, async () => {
    const plan = await planCourse({ course_id, moves: [{ lesson_id, module_id, position }] }, context);
    const isShort = plan.writes.length <= maxRenumbered && plan.unclear === undefined;
    if (plan.writes.length === 0 || !isShort) return { ...creationIn(plan, question, lesson_id), renumbered: 0 };
    const { applied, now } = await applyPlan(plan, course_id, context);
    const renumbered = applied.filter((id) => id !== lesson_id).length;
    const read = now && { course: now.course, title: plan.title };
    return { ...(read && creationIn(read, question, lesson_id)), renumbered };
  });
}

/** Undefined if the place of the lesson could not be read: the lesson is created anyway. */
async function placed(question: CreateQuestion, lesson_id: number | undefined, context: ToolContext) {
  if (lesson_id === undefined) return undefined;
  try {
    return await moveTo(question, lesson_id, context);
  } catch (error) {
    if (error instanceof AcademyError || context.signal.aborted) return undefined;
    throw error;
  }
}

/** Creates the lesson with a number for its position, and moves it there if that number was not enough. */
async function createAtPosition(question: CreateQuestion, context: ToolContext, send: Send): Promise<Created> {
  const startedAt = performance.now();
  const before = await readBefore(question.course_id, context);
  const list = listIn(before, question);
  const { position: _position, ...input } = question;
  const sequence = numberFor(before, list, question);
  const isNew = list.lessons.every((lesson) => lesson.title !== undefined && !isNamesake(question, lesson));
  const options = isNew && context.checksBeforeCreate ? { checkedAt: startedAt } : {};
  const answer = await send({ ...input, ...(sequence === undefined ? {} : { sequence }) }, options);
  // A lesson that may have been there before is not moved.
  const found: Found | undefined = isNew
    ? await placed(question, answer.id ?? (await readPlace(question, context, undefined))?.lesson_id, context)
    : await readPlace(question, context, answer.id);
  const { titles, ...creation }: Found = found ?? {};
  return [answer, { isRepeated: false, ...creation }, titles];
}

async function createLast(question: CreateQuestion, context: ToolContext, send: Send): Promise<Created> {
  const answer = await send(question);
  const { titles, ...creation }: Found = (await readPlace(question, context, answer.id)) ?? {};
  return [answer, { isRepeated: false, ...creation }, titles];
}

/** The id of the lesson that an identical call has created, on any replica. */
async function createdBy(question: CreateQuestion, { stores }: ToolContext): Promise<number | undefined> {
  const own = stores.of(createdLessons).get(keyOf(question));
  if (own !== undefined || !stores.shared.isShared()) return own;
  const found = await stores.shared.get(`created ${keyOf(question)}`);
  return found && Number(found.value);
}

/** The lesson that an identical earlier call has created, if it is still there. */
async function repeated(question: CreateQuestion, context: ToolContext): Promise<Created | undefined> {
  const id = context.checksBeforeCreate ? await createdBy(question, context) : undefined;
  if (id === undefined) return undefined;
  const before = await readBefore(question.course_id, context);
  const list = before.course.lists.find(({ module_id }) => module_id === listOf(question));
  const lesson = list?.lessons.find((one) => one.id === id && isNamesake(question, one));
  if (lesson === undefined) return undefined;
  const { titles, ...creation }: Found = creationIn(before, question, id);
  return [{ ...lesson }, { isRepeated: true, ...creation }, titles];
}

/** Renumbers other lessons only if no free number puts it at its position. An identical repeated call sends nothing. */
export async function createLessonOnce(question: CreateQuestion, context: ToolContext, send: Send): Promise<Created> {
  const earlier = await repeated(question, context);
  if (earlier !== undefined) return earlier;
  const create = question.position === undefined ? createLast : createAtPosition;
  const created = await create(question, context, send);
  const id = created[0].id ?? created[1].lesson_id;
  if (id === undefined) return created;
  context.stores.of(createdLessons).set(keyOf(question), id);
  if (context.stores.shared.isShared())
    await context.stores.shared.set(`created ${keyOf(question)}`, String(id), planTtlMs);
  return created;
}
