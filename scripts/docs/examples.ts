/** A question of a person, and the call that answers it. */
export interface Example {
  question: string;
  tool: string;
  arguments: Record<string, unknown>;
}

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
