import type { Prompt } from '../../src/mcp/prompt.ts';
import { cohortReport } from './cohort-report.ts';
import { offboardStudent } from './offboard-student.ts';
import { restructureCourse } from './restructure-course.ts';
import { weeklyReport } from './weekly-report.ts';
import { welcomeStudents } from './welcome-students.ts';
import { whoBought } from './who-bought.ts';
import { whoNeedsAttention } from './who-needs-attention.ts';

/** All prompts, in the order in which they are listed. */
export const prompts: readonly Prompt[] = [
  whoBought,
  weeklyReport,
  restructureCourse,
  welcomeStudents,
  offboardStudent,
  cohortReport,
  whoNeedsAttention,
];
