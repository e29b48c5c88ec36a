import * as z from 'zod';
import { defineTool } from '../../src/mcp/tool.ts';
import { planCourse } from '../../src/workflows/outline/course-plan.ts';
import { checkForm, outlineArguments, planOutput, presentPlan } from './outline-plan.ts';

export const planCourseOutline = defineTool({
  name: 'plan_course_outline',
  toolset: 'courses',
  title: 'Plan the outline of a course',
  description:
    'Previews how to move, reorder (swap), rename or publish lessons or modules (chapters) of a course before anything is saved. Shows the lessons to write, before and after, warnings, base_version for apply_course_outline.',
  ui: { resourceUri: 'ui://academy/outline.html' },
  cost: { once: 1 },
  example: { course_id: 5, moves: [{ lesson_id: 1074, module_id: 219, position: 4 }] },
  effect: 'read',
  carriesUserContent: false,
  input: z.strictObject(outlineArguments),
  check: checkForm,
  output: planOutput,
  run: async (question, context) => presentPlan(await planCourse(question, context), question.course_id, context),
});
