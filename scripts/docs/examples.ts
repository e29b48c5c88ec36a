type Arguments = Record<string, unknown>;

/** A question of a person, and the call that answers it. */
export interface Example {
  question: string;
  tool: string;
  /** From the structured answer of the example before, where it goes on from there. */
  arguments: Arguments | ((before: Arguments) => Arguments);
}

const asked = {
  course_id: 5,
  moves: [{ lesson_id: 1074, module_id: 219, position: 4 }],
  lessons: [{ lesson_id: 1077, is_published: true }],
};

/** docs/task-tools.md: one for each tool that is more than one operation of the API. */
export const wholeAnswers: readonly Example[] = [
  {
    question: 'Who bought “Data Analysis with SQL” last week? The newest three will do.',
    tool: 'find_buyers',
    arguments: { product: 'Data Analysis with SQL', period: 'last_week', limit: 3 },
  },
  {
    question: 'How did “Write Clearly at Work” sell last week, day by day?',
    tool: 'sales_report',
    arguments: { product: 'Write Clearly at Work', period: 'last_week', group_by: 'day' },
  },
  {
    question: 'Who tried to buy something last week and did not pay?',
    tool: 'unpaid_orders',
    arguments: { period: 'last_week', limit: 3 },
  },
  {
    question: 'What does Inês have, and how far has she come?',
    tool: 'student_profile',
    arguments: { email: 'ines.simoes@example.com' },
  },
  {
    question: 'Zoé says that she cannot open “Bookkeeping for Freelancers”. Why?',
    tool: 'diagnose_access',
    arguments: { email: 'zoe.lefevre@example.net', product: 'Bookkeeping for Freelancers' },
  },
  {
    question: 'How far have those come who bought course 9 from 12 to 18 October?',
    tool: 'course_progress',
    arguments: {
      course_id: 9,
      created_after: '2026-10-12',
      created_before: '2026-10-19',
      timezone: 'Europe/Lisbon',
      limit: 3,
    },
  },
  {
    question: 'What was new around databases this week?',
    tool: 'community_digest',
    arguments: { channels: ['sql-databases', 'spreadsheet-help'], period: 'this_week', limit: 2 },
  },
  {
    question: 'Give course 3 to these three.',
    tool: 'bulk_enroll_students',
    arguments: {
      course_id: 3,
      students: [
        { email: 'zoe.lefevre@example.net' },
        { email: 'new.person@example.com', name: 'New Person' },
        { email: 'nobody.yet@example.com' },
      ],
    },
  },
  {
    question: 'Zoé leaves us. What would we take away?',
    tool: 'offboard_student',
    arguments: { email: 'zoe.lefevre@example.net' },
  },
  {
    question:
      'In the photography course, publish “Sensitivity and noise”, and move “Shadows as shapes” right behind it.',
    tool: 'plan_course_outline',
    arguments: asked,
  },
  {
    question: 'Yes, do that.',
    tool: 'apply_course_outline',
    arguments: ({ base_version }) => ({ ...asked, base_version, confirm: true }),
  },
];
