export const academyNames = [
  'Harbour Street Academy',
  'The Lantern School',
  'Open Bench Academy',
  'Northlight Courses',
  'Quiet Corner Academy',
];

export const roleNames = ['Moderator', 'Teaching assistant', 'Alumni', 'Beta tester', 'Corporate client'];

export const digitalProductTexts = [
  {
    title: 'Formula Pocket Guide (PDF)',
    price: '9.00',
    description: 'Forty formulas on twelve pages, with an example each.',
  },
  {
    title: 'Practice Database',
    price: '19.00',
    description: 'A made-up shop with 50,000 sales to query, as one file.',
  },
  {
    title: 'Invoice and Offer Templates',
    price: '14.50',
    description: 'Eight templates for a text editor of your choice.',
  },
  {
    title: 'Light Recipes: 30 Set-ups',
    price: '24.00',
    description: 'Thirty drawings of lamps, windows and reflectors.',
  },
  {
    title: 'Watercolour Sketch Sheets',
    price: '7.90',
    description: 'Line drawings to print on heavy paper and paint.',
  },
  { title: 'Team Retrospective Cards (coming)', price: '12.00', description: 'In the making.', isDraft: true },
] as const;

/** Title, description and the course that the project belongs to. */
export const projectTexts = [
  ['A sheet that runs your week', 'Build one sheet that you open every Monday, and show it.', 1],
  ['Your first month of books', 'Keep the books of one month, yours or an invented one.', 2],
  ['One text, three readers', 'Write the same news for a client, a colleague and a friend.', 3],
  ['A portrait in window light', 'One face, one window, no lamp. Post three frames and your choice.', 5],
  ['Ask the shop ten questions', 'Answer ten questions about the practice database with queries.', 7],
  ['A loaf from memory', 'Bake without the recipe in front of you. Show the crumb.', 8],
  ['A small tool that you keep using', 'Write a program of at most 200 lines that saves you time each week.', 9],
] as const;

/** The outline of a course. " | " separates the lessons of a line. */
export interface CourseText {
  readonly id: number;
  readonly title: string;
  readonly price: string;
  /** Its sales relative to other courses. */
  readonly demand: number;
  readonly pitch: string;
  readonly modules: readonly (readonly [title: string, lessons: string])[];
  /** Lessons outside any module. */
  readonly ungrouped: string;
  /** "draft": unpublished. "bundles": sold only in bundles. */
  readonly sale?: 'draft' | 'bundles';
  readonly daysOfAccess?: number;
}

export function lessonTitles(line: string): string[] {
  return line === '' ? [] : line.split(' | ');
}
