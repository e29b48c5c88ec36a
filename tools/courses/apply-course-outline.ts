import * as z from 'zod';
import { updateLesson } from '../../src/contract/courses.ts';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { applyPlan, withCourseLock } from '../../src/workflows/outline/apply-plan.ts';
import { planCourse, refuseUnclear } from '../../src/workflows/outline/plan-course.ts';
import { appliedOutput, presentApplied } from './outline-apply-view.ts';
import { checkForm, outlineAsPlanned } from './outline-arguments.ts';
import { checkShown, planFacts } from './outline-plan-view.ts';

export const applyCourseOutline = defineTool({
  name: 'apply_course_outline',
  toolset: 'courses',
  title: 'Apply the outline of a course',
  description:
    'Makes the reordering: writes the new order that plan_course_outline planned, with the same arguments and its base_version. Refuses if the course has changed. Students see each move at once. Returns applied, failed, remaining, verified; next says how to finish. undo says how to undo it.',
  cost: { requests: 2, plus: [{ requests: 1, per: 'written lesson' }] },
  example: {
    course_id: 5,
    moves: [{ lesson_id: 1074, module_id: 219, position: 4 }],
    base_version: '01230b7a2aea3dc0',
  },
  effect: 'update',
  repeat: 'same_effect',
  consent: true,
  writes: [updateLesson],
  carriesUserContent: false,
  input: z.strictObject({
    ...outlineAsPlanned,
    base_version: limitedText(64).min(1).describe('From plan_course_outline, or from the last answer'),
  }),
  check: checkForm,
  confirmationMessage: ({ course_id }) =>
    `This changes the outline of course ${course_id} as shown below. Students see it at once. The answer says how to undo it.`,
  confirmationFacts: async ({ base_version, ...question }, context) =>
    planFacts(await planCourse(question, context, base_version), context.budget()),
  output: appliedOutput,
  run: async ({ base_version, ...question }, context) => {
    const { course_id } = question;
    return await withCourseLock(course_id, context, async () => {
      const plan = await planCourse(question, context, base_version);
      refuseUnclear(plan);
      checkShown(plan);
      return presentApplied(plan, await applyPlan(plan, course_id, context), course_id, context);
    });
  },
});
