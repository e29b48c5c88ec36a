import * as z from 'zod';
import { oneLine } from '../../src/clean.ts';
import { type Allowance, type FullAllowance, minutesFor, minutesText, steadyMinutes } from '../../src/insights/cost.ts';
import { type Change, changesOf, type Standing, warningsOf } from '../../src/insights/outline/report.ts';
import { treeLines } from '../../src/insights/outline/tree.ts';
import type { CoursePlan } from '../../src/mcp/course-plan.ts';
import { anyRecord, listOutput } from '../../src/mcp/output.ts';
import { counted, inline } from '../../src/mcp/render.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';

type Json = Record<string, unknown>;

const lines = z.array(z.string()).optional();

export const planOutput = listOutput('changes', anyRecord, {
  course_id: z.int(),
  title: z.string(),
  base_version: z.string(),
  requests: z.int(),
  minutes: z.int(),
  warnings: lines,
  tree: lines,
});

/** Reading before and after. */
const reads = 2;

/** "2 of module 5" or "3 in no module", with the number that the API keeps. */
function standingText({ module_id, position, sequence, ...changed }: Standing & Json): string {
  const where = module_id === null ? 'no module' : `module ${module_id}`;
  const more = Object.entries(changed).map(([name, value]) => `${name} ${value}`);
  const number = sequence === undefined ? [] : [`sequence ${sequence}`];
  return [`${where}, ${position}`, ...number, ...more].join(', ');
}

export function titleOf(title: string | undefined): string {
  return title === undefined ? '' : ` "${oneLine(title, 200)}"`;
}

function requestsOf({ writes }: CoursePlan): number {
  return writes.length === 0 ? 1 : writes.length + reads;
}

function costOf(plan: CoursePlan, allowance: Allowance) {
  const requests = requestsOf(plan);
  return { requests, minutes: minutesFor(requests, allowance) };
}

/** The longest tree, in characters: a plan has room for it beside the changes and the warnings. */
const longestTree = 16_000;

function treeOf({ course, target, changes }: CoursePlan): string[] {
  return treeLines(course, target, changes, longestTree);
}

const warningsIn = ({ course, writes, changes }: CoursePlan) => warningsOf(course, writes, changes);

/** The plan as the one who confirms it reads it. */
export function planFacts(plan: CoursePlan, allowance: FullAllowance): string[] {
  const requests = requestsOf(plan);
  const time = minutesText(steadyMinutes(requests, allowance));
  const cost = `Lessons to write: ${plan.writes.length}. Cost: ${counted(requests, 'request')}, ${time}.`;
  return [cost, ...warningsIn(plan), ...treeOf(plan)];
}

function rowOf({ title, ...change }: Change) {
  return { ...change, ...(title === undefined ? {} : { title: oneLine(title, 200) }) };
}

function changeLine({ lesson_id, title, from, to }: Change): string {
  return `Lesson ${lesson_id}${titleOf(title)}: ${standingText({ ...from })} -> ${standingText({ ...to })}`;
}

/** The body of the text: as many of the changes as the data has kept. */
function planLines(changes: readonly Change[], { cut, changes: shown, base_version, ...facts }: Json): string[] {
  const linesIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  return [
    ...(cut === undefined ? [] : [`cut: ${cut}`]),
    `base_version: ${base_version}`,
    ...linesIn(facts.warnings).map((warning) => `Warning: ${warning}`),
    ...changes.slice(0, linesIn(shown).length).map(changeLine),
    ...linesIn(facts.tree),
  ].map(inline);
}

function planData(plan: CoursePlan, cost: ReturnType<typeof costOf>, changes: readonly Change[]): Json {
  const { title, version } = plan;
  const warnings = warningsIn(plan);
  return {
    ...(title === undefined ? {} : { title: oneLine(title, 200) }),
    base_version: version,
    ...cost,
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(changes.length > 0 ? { changes: changes.map(rowOf) } : {}),
    tree: treeOf(plan),
  };
}

export function presentPlan(plan: CoursePlan, course_id: number, { budget }: Pick<ToolContext, 'budget'>): Presented {
  const { course, target, writes, title } = plan;
  const changes = changesOf(course, target, writes);
  const cost = costOf(plan, budget());
  const summary = `Course ${course_id}${titleOf(title)}: ${counted(writes.length, 'lesson')} to write, ${counted(cost.requests, 'request')}, ${minutesText(cost.minutes)}. Nothing was changed.`;
  const data = { course_id, ...planData(plan, cost, changes) };
  const how = 'apply does all of them; not shown here';
  const first = (most: number) => ({ ...data, changes: changes.slice(0, most).map(rowOf) });
  return {
    summary,
    data,
    outline: (shown) => planLines(changes, shown),
    cut: { records: changes.length, to: (most) => ({ summary, data: first(most), shown: most, how }) },
  };
}
