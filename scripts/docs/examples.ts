/** A question of a person, and the call that answers it. */
export interface Example {
  question: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/** README: "What it looks like". */
export const firstExamples: readonly Example[] = [
  {
    question: 'Who bought the photography course last week?',
    tool: 'find_buyers',
    arguments: { product: 'photography', period: 'last_week' },
  },
  {
    question: 'Take course 13 away from Zoé.',
    tool: 'revoke_course',
    arguments: { email: 'zoe.lefevre@example.net', name: 'Zoé Lefèvre', course_id: 13 },
  },
];

/** docs/task-tools.md: a finding with its fix, and the plan of a write. */
export const wholeAnswers: readonly Example[] = [
  {
    question: 'Zoé says that she cannot open “Bookkeeping for Freelancers”. Why?',
    tool: 'diagnose_access',
    arguments: { email: 'zoe.lefevre@example.net', product: 'Bookkeeping for Freelancers' },
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
];
