import type { CallOptions } from '../../api/api.ts';
import { undefinedIfFailed } from '../../api/partial-failure.ts';
import { keyOfCall } from '../../api/writes/recent-writes.ts';
import { createLesson } from '../../contract/courses.ts';
import type { AnswerOf, InputOf } from '../../contract/operation.ts';
import type { Course, Lesson, List } from '../../insights/outline/course.ts';
import { landingIn, sequenceAt } from '../../insights/outline/lesson-changes.ts';
import { called, isAffordable, withDeadline } from '../../mcp/titles.ts';
import type { Titles, ToolContext } from '../../mcp/tool.ts';
import { firstOf, refuseInput } from '../../shared/invalid-input.ts';
import { readFirst } from '../batch.ts';
import { planTtlMs } from '../scan-store.ts';
import { applyPlan, planCourse, readCourse, withCourseLock } from './course-plan.ts';

type CreateInput = InputOf<typeof createLesson>;
export type CreateQuestion = CreateInput & { readonly position?: number | undefined };
type Answer = AnswerOf<typeof createLesson>;
type Send = (input: CreateInput, options?: CallOptions) => Promise<Answer>;

/** Without `landed` if the course could not be read afterwards. */
export interface Creation extends Partial<NonNullable<ReturnType<typeof landingIn>>> {
  /** Whether an identical earlier call has created it, so that nothing was sent. */
  readonly isRepeated?: true;
  readonly renumbered?: number;
  /** In the course that was read for it. */
  readonly titles?: Titles;
}

type Created = readonly [answer: Answer, creation: Creation | undefined];

/** Most lessons that are renumbered for a new one; a person should see a longer change as a plan. */
const maxRenumbered = 30;
/** How long the answer waits for the place of a lesson without `position`, in milliseconds. */
const maxReadMs = 3_000;

const listOf = ({ module_id }: CreateQuestion) => module_id ?? null;

const keyOf = (question: CreateQuestion) => `created ${keyOfCall(createLesson, question)}`;

function titlesIn({ lists }: Course, title: string | undefined, moduleId: number | null): Titles {
  const module = moduleId === null ? undefined : lists.find(({ module_id }) => module_id === moduleId)?.title;
  return {
    ...(title === undefined ? {} : { course_id: title }),
    ...(module === undefined || module.trim() === '' ? {} : { module_id: module }),
  };
}

function creationIn(
  { course, title }: Pick<Before, 'course' | 'title'>,
  question: CreateQuestion,
  id?: number,
): Creation {
  const module_id = listOf(question);
  const found = landingIn(course.lists, { id, title: question.title, module_id });
  return { titles: titlesIn(course, title, module_id), ...found };
}

/** Where the lesson is now. Optional: undefined if the read would delay the answer, or fails. */
async function readPlace(question: CreateQuestion, context: ToolContext, id?: number): Promise<Creation | undefined> {
  if (!isAffordable(context, 1)) return undefined;
  const quick = { ...context, api: withDeadline(context, maxReadMs) };
  const read = await readCourse(question.course_id, quick).catch(() => undefined);
  // One failed read is enough: the answer needs no titles.
  return read === undefined ? { titles: {} } : creationIn(read, question, id);
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
  const number = unclear ?? sequenceAt(others, position);
  if (typeof number === 'string') throw refuseInput([`position: ${number}`]);
  return number;
}

async function moveTo(question: CreateQuestion, lesson_id: number, context: ToolContext): Promise<Creation> {
  const { course_id, position = 1 } = question;
  const module_id = listOf(question);
  return await withCourseLock(course_id, context, async () => {
    const plan = await planCourse({ course_id, moves: [{ lesson_id, module_id, position }] }, context);
    const isShort = plan.writes.length <= maxRenumbered && plan.unclear === undefined;
    if (plan.writes.length === 0 || !isShort) return creationIn(plan, question, lesson_id);
    const { applied, now } = await applyPlan(plan, course_id, context);
    const renumbered = applied.filter((id) => id !== lesson_id).length;
    return { ...(now && creationIn({ ...plan, ...now }, question, lesson_id)), renumbered };
  });
}

/** Creates the lesson with a number for its position, and moves it there if that number was not enough. */
async function createAtPosition(question: CreateQuestion, context: ToolContext, send: Send): Promise<Created> {
  const startedAt = performance.now();
  const before = await readFirst(readCourse(question.course_id, context));
  const list = listIn(before, question);
  const { position: _position, ...input } = question;
  const sequence = numberFor(before, list, question);
  const isNew = list.lessons.every((lesson) => lesson.title !== undefined && !isNamesake(question, lesson));
  const options = isNew && context.checksBeforeCreate ? { checkedAt: startedAt } : {};
  const answer = await send({ ...input, ...(sequence === undefined ? {} : { sequence }) }, options);
  // A lesson that may have been there before is not moved.
  if (!isNew) return [answer, await readPlace(question, context, answer.id)];
  const id = answer.id ?? (await readPlace(question, context))?.lesson_id;
  // If its place cannot be read, the lesson is created anyway.
  if (id === undefined) return [answer, undefined];
  return [answer, await undefinedIfFailed(moveTo(question, id, context), context.signal)];
}

async function createLast(question: CreateQuestion, context: ToolContext, send: Send): Promise<Created> {
  const answer = await send(question);
  return [answer, await readPlace(question, context, answer.id)];
}

/** The lesson that an identical earlier call has created, on any replica, if it is still there. */
async function repeated(question: CreateQuestion, context: ToolContext): Promise<Created | undefined> {
  const known = context.checksBeforeCreate ? await context.stores.shared.get(keyOf(question)) : undefined;
  if (known === undefined) return undefined;
  const id = Number(known.value);
  const before = await readFirst(readCourse(question.course_id, context));
  const list = before.course.lists.find(({ module_id }) => module_id === listOf(question));
  const lesson = list?.lessons.find((one) => one.id === id && isNamesake(question, one));
  return lesson && [{ ...lesson }, { ...creationIn(before, question, id), isRepeated: true }];
}

async function create(question: CreateQuestion, context: ToolContext, send: Send): Promise<Created> {
  const created = await (question.position === undefined ? createLast : createAtPosition)(question, context, send);
  const id = created[0].id ?? created[1]?.lesson_id;
  if (id !== undefined) await context.stores.shared.set(keyOf(question), String(id), planTtlMs);
  return created;
}

/** Renumbers other lessons only if no free number puts it at its position. An identical repeated call sends nothing. */
export async function createLessonOnce(question: CreateQuestion, context: ToolContext, send: Send) {
  const [answer, creation = {}] = (await repeated(question, context)) ?? (await create(question, context, send));
  return [answer, creation, creation.titles] as const;
}
