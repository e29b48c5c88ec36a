import * as z from 'zod';
import * as inputs from '../../src/contract/schemas/input-fields.ts';
import { largestInteger } from '../../src/contract/schemas/lesson.ts';
import { type Change, changesOf, compactLines, treeLines, warningsOf } from '../../src/insights/outline/plan-report.ts';
import { anyRecord, listOutput, numbers, texts } from '../../src/mcp/output/output-schemas.ts';
import { counted, inline } from '../../src/mcp/output/text-format.ts';
import { maxAnswer } from '../../src/mcp/output/truncate.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { quoted } from '../../src/shared/quote-text.ts';
import type { CoursePlan } from '../../src/workflows/outline/course-plan.ts';
import { type FullBudget, minutesFor, minutesText, planCost } from '../../src/workflows/requests-allowed.ts';

/** The length of an old or unchanged title; a new one is shown whole. */
const maxTitle = 200;

export const planOutput = listOutput('changes', anyRecord, {
  ...numbers('course_id'),
  ...texts('product_type', 'title', 'base_version'),
  ...numbers('requests', 'minutes'),
  warnings: z.array(z.string()),
  tree: z.array(z.string()),
});

/** Requests that read the course, before and after the writes. */
const reads = 2;

/** `module 5, 2, sequence 3, title "New", is_published false`. */
function standingText({ module_id, position, ...others }: Change['from'] | Change['to']): string {
  const shown = Object.entries(others).filter(([, value]) => value !== undefined);
  const more = shown.map(([name, value]) => `${name} ${inline(value)}`);
  return [module_id === null ? 'no module' : `module ${module_id}`, position, ...more].join(', ');
}

function titleOf(title: string | undefined): string {
  return title === undefined ? '' : ` ${quoted(oneLine(title, maxTitle))}`;
}

const requestsOf = ({ writes }: CoursePlan): number => (writes.length === 0 ? 1 : writes.length + reads);

const changeRow = ({ title, ...change }: Change) => ({ ...change, title: title && oneLine(title, maxTitle) });

function changeLine({ lesson_id, title, from, to }: Change): string {
  return `Lesson ${lesson_id}${titleOf(title)}: ${standingText(from)} -> ${standingText(to)}`;
}

/** The plan as the person who confirms it reads it. No line is ever cut. */
function shownLines({ warnings, changes, tree }: PlanView): string[] {
  return [...warnings.map((warning) => `Warning: ${warning}`), ...changes.map(changeLine), ...tree];
}

/** Longest view, in characters: the answer also has a summary, the cost and the next step. */
const maxView = maxAnswer - 1_500;

function sizeOf(view: PlanView): number {
  const data = JSON.stringify({ ...view, changes: view.changes.map(changeRow) });
  return Math.max(data.length, shownLines(view).join('\n').length);
}

/** A longer tree has one line for lessons that stay together, in characters. */
const maxTree = 16_000;

/** A plan as it is shown. If `changes` is empty, each line of the tree has the changes of its lesson. */
function viewsOf(plan: CoursePlan) {
  const warnings = [...plan.doubts, ...warningsOf(plan)];
  const changes = changesOf(plan);
  const whole = treeLines(plan);
  const isShort = JSON.stringify(whole).length <= maxTree;
  const compact = compactLines(plan);
  return [
    { warnings, changes, tree: isShort ? whole : compact },
    { warnings, changes: [], tree: compact },
  ];
}

type PlanView = ReturnType<typeof viewsOf>[number];

/** Throws `invalid_input` for a plan that does not fit into one answer: a person cannot agree to a plan that they cannot read. */
export function viewOf(plan: CoursePlan): PlanView {
  const views = viewsOf(plan);
  const view = views.find((one) => sizeOf(one) <= maxView);
  if (view !== undefined) return view;
  const size = Math.min(...views.map(sizeOf));
  throw new AcademyError(
    'invalid_input',
    `this plan is too long to be shown whole: ${size} characters, and at most ${maxView} fit`,
    { hint: 'Split it: plan and apply some of the moves, titles and publications first, then the others.' },
  );
}

export function planFacts(plan: CoursePlan, allowance: FullBudget): string[] {
  const cost = `Lessons to write: ${plan.writes.length}. Cost: ${planCost(requestsOf(plan), allowance)}.`;
  return [cost, ...shownLines(viewOf(plan))];
}

/** A challenge has the same ids as courses. */
export function typeOf({ isChallenge }: CoursePlan): { product_type?: string } {
  return isChallenge ? { product_type: 'challenge' } : {};
}

/** `Course 5 "Photography"`, or `Challenge 13 "Thirty Days of Drawing"`. */
export function courseText({ title, isChallenge }: CoursePlan, course_id: number): string {
  return `${isChallenge ? 'Challenge' : 'Course'} ${course_id}${titleOf(title)}`;
}

export function presentPlan(plan: CoursePlan, course_id: number, { budget }: Pick<ToolContext, 'budget'>): Presented {
  const { writes, version: base_version, title } = plan;
  const view = viewOf(plan);
  const { warnings, changes, tree } = view;
  const requests = requestsOf(plan);
  const minutes = minutesFor(requests, budget());
  const course = { course_id, ...typeOf(plan), title: title && oneLine(title, maxTitle), base_version };
  return {
    summary: `${courseText(plan, course_id)}: ${counted(writes.length, 'lesson')} to write, ${counted(requests, 'request')}, ${minutesText(minutes)}. Nothing was changed.`,
    data: { ...course, requests, minutes, warnings, changes: changes.map(changeRow), tree },
    uncut: ['base_version'],
    body: () => [`base_version: ${base_version}`, ...shownLines(view)],
  };
}

const maxLessons = 2_000;
const lessonId = inputs.describedOnce(inputs.id('Lesson id, from get_course_structure'));
const moduleId = inputs.describedOnce(inputs.id('Module id, from get_course_structure'));
const lessonIds = z.array(lessonId).max(maxLessons);

/** The requested changes of a course, in one of two forms. */
export const outlineArguments = {
  course_id: inputs.courseId,
  outline: z
    .strictObject({
      modules: z.array(z.strictObject({ module_id: moduleId, lesson_ids: lessonIds })).max(500),
      ungrouped_lesson_ids: lessonIds.describe('Lessons in no module'),
      // These are not written by hand: they come back from undo_outline.
      sequences: z
        .array(inputs.describedOnce(inputs.integer(0, largestInteger, 'Sequence number')))
        .max(maxLessons)
        .optional(),
    })
    .describe('The whole course: every lesson once, in its order; modules cannot be moved. This or moves')
    .optional(),
  moves: z
    .array(
      z.strictObject({
        lesson_id: lessonId,
        // Without nonoptional, JSON Schema lists a preprocessed field as optional.
        module_id: moduleId.nullable().nonoptional().describe('null for no module'),
        position: inputs.integer(1, maxLessons, 'Final place in that module, from 1'),
      }),
    )
    .max(maxLessons)
    .describe('Only what moves; others keep their order. This or outline')
    .optional(),
  lessons: z
    .array(
      z.strictObject({
        lesson_id: lessonId,
        title: inputs.describedOnce(inputs.title('New title')).optional(),
        is_published: inputs.describedOnce(inputs.flag('Whether students see it')).optional(),
      }),
    )
    .max(maxLessons)
    .describe('Titles and publication to change, with or without an order')
    .optional(),
};

/** The same arguments where plan_course_outline lists their shapes. */
export const outlineAsPlanned = {
  ...outlineArguments,
  outline: inputs.shapedElsewhere(outlineArguments.outline),
  moves: inputs.shapedElsewhere(outlineArguments.moves),
  lessons: inputs.shapedElsewhere(outlineArguments.lessons),
};

/** Throws `invalid_input` for both forms of an order at once, and for no change at all. */
export function checkForm({ outline, moves, lessons }: z.output<z.ZodObject<typeof outlineArguments>>): void {
  if (outline !== undefined && moves !== undefined) throw refuseInput(['give only one of outline and moves']);
  if (outline === undefined && moves === undefined && lessons === undefined)
    throw refuseInput(['give outline, moves or lessons']);
}
